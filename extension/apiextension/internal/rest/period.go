// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const (
	fromField = "from_timestamp_sec"
	toField   = "to_timestamp_sec"
)

// Period is a period of time as a body has it, in whole seconds since 1970.
type Period struct {
	From *Text `json:"from_timestamp_sec" doc:"Start, Unix seconds." schema:"required types=integer,string format=int64" pattern:"^-?[0-9]+$" must:"a whole number of seconds since 1970"`
	To   *Text `json:"to_timestamp_sec" doc:"End, Unix seconds. Absent: no bound." schema:"types=integer,string,null format=int64" pattern:"^-?[0-9]+$" must:"a whole number of seconds since 1970"`
}

// QueryPeriod returns the period that the parameters of a URL tell, under the
// names that bodies have.
func QueryPeriod(values url.Values) *Period {
	var p Period
	for name, into := range map[string]**Text{fromField: &p.From, toField: &p.To} {
		if values.Has(name) {
			text := Text(values.Get(name))
			*into = &text
		}
	}
	return &p
}

// Bounds returns both ends in Unix nanoseconds, inclusive. Where the end is left
// out it is end.
func (p *Period) Bounds(end int64) (from, to int64, err error) {
	if p.From == nil {
		return 0, 0, fault.New(fault.Invalid, "%s is required", fromField)
	}
	return p.Within(math.MinInt64, end)
}

// Within returns both ends as Bounds does, where the beginning, too, may be left
// out: it is start then.
func (p *Period) Within(start, end int64) (from, to int64, err error) {
	from, to = start, end
	if p.From != nil {
		if from, err = seconds(fromField, *p.From); err != nil {
			return 0, 0, err
		}
	}
	if p.To != nil {
		if to, err = seconds(toField, *p.To); err != nil {
			return 0, 0, err
		}
	}
	if from > to {
		return 0, 0, fault.New(fault.Invalid, "%s must not be after %s", fromField, toField)
	}
	return from, to, nil
}

// seconds returns the nearest instant in nanoseconds that an int64 holds.
func seconds(path string, text Text) (int64, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err != nil:
		return 0, fault.New(fault.Invalid, "%s must be a whole number of seconds since 1970", path)
	case n > math.MaxInt64/int64(time.Second):
		return math.MaxInt64, nil
	case n < math.MinInt64/int64(time.Second):
		return math.MinInt64, nil
	}
	return n * int64(time.Second), nil
}

// WholeSeconds returns the last whole second that is not after an instant in
// Unix nanoseconds.
func WholeSeconds(nanos int64) int64 {
	n := nanos / int64(time.Second)
	if nanos%int64(time.Second) < 0 {
		n--
	}
	return n
}
