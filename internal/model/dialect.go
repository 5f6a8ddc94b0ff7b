// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"sync"
)

// format is how a server is asked for JSON, the best first.
type format int

const (
	formatSchema format = iota // response_format json_schema, strict
	formatObject               // response_format json_object
	formatText                 // nothing: the instructions must do
)

// dialect is what of the request a server understands. The zero value is all.
type dialect struct {
	format format
	// newTokens says max_completion_tokens instead of max_tokens.
	newTokens     bool
	noTemperature bool
	noSeed        bool
}

// mostDialects is how many dialects one question may be tried in.
const mostDialects = 6

// learn gives the dialect to try after a refusal, and false if the refusal is
// not about the dialect. A server that names what it does not understand is
// believed; one that does not may have stumbled over the response format.
func (d dialect) learn(f *failure) (dialect, bool) {
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

// dialects remembers what servers understood, by model.
type dialects struct {
	mu    sync.Mutex
	known map[string]dialect
}

func (d *dialects) of(model string) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[model]
}

// keep remembers a dialect in which an answer was given. There are as many as
// models that are allowed.
func (d *dialects) keep(model string, understood dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = make(map[string]dialect)
	}
	d.known[model] = understood
}
