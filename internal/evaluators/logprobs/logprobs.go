// SPDX-License-Identifier: Apache-2.0

// Package logprobs reads log probabilities in the forms that model servers give them.
package logprobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// List are natural logarithms of probabilities, at least one.
type List []LogProb

// LogProb is a natural logarithm of a probability.
type LogProb float64

// maxLogProb is how far above 0 a logarithm may be: model servers round.
const maxLogProb = 0.01

var (
	errNoLogProbs   = errors.New("must be a JSON array of numbers, or of objects with a number logprob")
	errNoTokens     = errors.New("must hold at least one log probability")
	errPositiveProb = errors.New("must hold log probabilities, which are <= 0")
)

// UnmarshalText reads an array of numbers or of objects with a logprob, or an
// object whose content is such an array.
func (l *List) UnmarshalText(text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '{' {
		var answer struct {
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return errNoLogProbs
		}
		text = answer.Content
	}
	if len(text) == 0 || text[0] != '[' {
		return errNoLogProbs
	}
	var tokens []LogProb
	err := json.Unmarshal(text, &tokens)
	switch {
	case errors.Is(err, errPositiveProb):
		return errPositiveProb
	case err != nil:
		return errNoLogProbs
	case len(tokens) == 0:
		return errNoTokens
	}
	*l = tokens
	return nil
}

// UnmarshalJSON reads a number or an object with a logprob.
func (p *LogProb) UnmarshalJSON(raw []byte) error {
	if raw[0] == '{' {
		var token struct {
			LogProb json.RawMessage `json:"logprob"`
		}
		if err := json.Unmarshal(raw, &token); err != nil {
			return err
		}
		raw = token.LogProb
	}
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return errNoLogProbs
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return errNoLogProbs
	}
	if n > maxLogProb {
		return errPositiveProb
	}
	*p = LogProb(n)
	return nil
}
