// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"sync"
	"time"
)

// format is how a server is asked for JSON, the best first. See "Structured
// outputs", https://platform.openai.com/docs/guides/structured-outputs.
type format int

const (
	formatSchema format = iota // response_format json_schema, strict
	formatObject               // response_format json_object
	formatText                 // nothing: the instructions must do
)

// serverCapabilities says which parameters of a request a server understands. The
// zero value is all of them. Servers differ in response_format, max_tokens (or
// max_completion_tokens), temperature and seed:
// https://platform.openai.com/docs/api-reference/chat/create.
type serverCapabilities struct {
	format format
	// newTokens says max_completion_tokens instead of max_tokens.
	newTokens     bool
	noTemperature bool
	noSeed        bool
}

// mostCapabilities is how many sets of parameters one question may be tried with.
const mostCapabilities = 6

// learn returns the capabilities to assume after a refusal, and false if the
// refusal is not about a parameter. A server that names what it does not understand is
// believed; one that does not may have stumbled over the response format.
func (d serverCapabilities) learn(f *failure) (serverCapabilities, bool) {
	switch f.status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
	default:
		return d, false
	}
	if f.reason == ReasonTooLong || f.code == "content_filter" {
		return d, false
	}
	switch {
	case f.param == "max_tokens" && !d.newTokens:
		d.newTokens = true
	case f.param == "temperature" && !d.noTemperature:
		d.noTemperature = true
	case f.param == "seed" && !d.noSeed:
		d.noSeed = true
	case d.format < formatText:
		d.format++
	default:
		return d, false
	}
	return d, true
}

// capabilities remembers what servers understood, by the name of the model.
type capabilities struct {
	mu    sync.Mutex
	known map[string]understood
}

// understood is what a server understood last. A worse format than the best counts only if
// the better one was refused twice in a row, and for an hour: one refusal may be of the
// request, and a server may be replaced.
type understood struct {
	serverCapabilities
	refused int       // how often in a row
	last    time.Time // when it was refused last
}

const (
	enoughRefusals = 2
	refusedFor     = time.Hour
)

func (d *capabilities) of(model string, now time.Time) serverCapabilities {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.known[model]
	if u.refused < enoughRefusals || now.Sub(u.last) >= refusedFor {
		u.format = formatSchema
	}
	return u.serverCapabilities
}

// keep remembers the capabilities with which the model answered that was asked with others
// at first. There are at most as many as models that are allowed.
func (d *capabilities) keep(model string, asked, answered serverCapabilities, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = make(map[string]understood)
	}
	u := d.known[model]
	u.serverCapabilities = answered
	switch {
	case answered.format == formatSchema:
		u.refused = 0
	case asked.format == formatSchema:
		u.refused, u.last = u.refused+1, now
	}
	d.known[model] = u
}
