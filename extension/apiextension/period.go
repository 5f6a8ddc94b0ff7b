// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	fromField = "from_timestamp_sec"
	toField   = "to_timestamp_sec"
)

// periodRequest is a period of time as a body has it.
type periodRequest struct {
	From json.RawMessage `json:"from_timestamp_sec"`
	To   json.RawMessage `json:"to_timestamp_sec"`
}

// period gives both ends in Unix nanoseconds, inclusive. Where the end is left
// out it is end.
func (q *periodRequest) period(end int64) (from, to int64, err error) {
	if absent(q.From) {
		return 0, 0, fault.New(fault.Invalid, "%s is required", fromField)
	}
	if from, err = parseSeconds(fromField, q.From); err != nil {
		return 0, 0, err
	}
	to = end
	if !absent(q.To) {
		if to, err = parseSeconds(toField, q.To); err != nil {
			return 0, 0, err
		}
	}
	if from > to {
		return 0, 0, fault.New(fault.Invalid, "%s must not be after %s", fromField, toField)
	}
	return from, to, nil
}

// parseSeconds takes a whole number of seconds, as text too, and gives the
// nearest instant in nanoseconds that an int64 holds.
func parseSeconds(path string, raw json.RawMessage) (int64, error) {
	text, _ := scalar(path, raw) // "" is no number either
	return secondsOf(path, text)
}

// secondsOf likewise reads a text.
func secondsOf(path, text string) (int64, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, fault.New(fault.Invalid, "%s must be a whole number of seconds since 1970", path)
	case seconds > math.MaxInt64/int64(time.Second):
		return math.MaxInt64, nil
	case seconds < math.MinInt64/int64(time.Second):
		return math.MinInt64, nil
	}
	return seconds * int64(time.Second), nil
}

// wholeSeconds gives the last whole second that is not after an instant.
func wholeSeconds(nanos int64) int64 {
	seconds := nanos / int64(time.Second)
	if nanos%int64(time.Second) < 0 {
		seconds--
	}
	return seconds
}
