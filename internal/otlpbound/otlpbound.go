// SPDX-License-Identifier: Apache-2.0

// Package otlpbound reads the bytes of an OTLP request, protobuf or JSON,
// before anything decodes them: one pass that allocates nothing, whose own
// depth is bounded, says whether the request keeps the limits and how much
// memory it will take once it is decoded. A decoder that follows the nesting of
// what it is sent with its own stack must not see what this package refuses.
//
// See docs/adr/0011-admission-and-memory-budget.md.
package otlpbound

import (
	"errors"
	"fmt"
)

// Signal says which request the bytes are meant to be.
type Signal uint8

// The requests of OTLP: ExportTraceServiceRequest and so on.
const (
	Traces Signal = iota
	Logs
	Metrics
)

// MaxDepth is the highest Limits.Depth.
const MaxDepth = 64

// Limits is what one request may hold. Each must be positive.
type Limits struct {
	Depth      int // values inside values; a plain attribute's is 1; at most MaxDepth
	Attributes int // of one resource, scope, span, event, link, log record, data point or map
	Values     int // of one list
	Events     int // of one span
	Links      int // of one span
	Records    int // spans, log records or data points of a request; and so many resources, scopes or metrics
	KeyBytes   int // of an attribute's key
	NameBytes  int // of the name of a span, event, scope or metric, and of other texts that are no values
}

// Cost is what decoding a request will take.
type Cost struct {
	Records int   // spans, log records or data points
	Bytes   int64 // of memory, once decoded, without the bytes that were read
	// BrokenIDs says that an id of a trace or span has another length than ids
	// have, for which a decoder refuses the whole request. Protobuf only.
	BrokenIDs bool
}

// Breach says which limit a request is over.
type Breach struct {
	What  string // such as "attributes of one span, event or resource"
	Limit int
}

func (b *Breach) Error() string {
	return fmt.Sprintf("the request has more than %d %s", b.Limit, b.What)
}

// ErrMalformed is what bytes get that are no OTLP in their encoding.
var ErrMalformed = errors.New("the request is malformed")

// breach is a Breach, or being malformed, without memory of its own.
type breach uint8

const (
	none breach = iota
	malformed
	tooDeep
	tooManyAttributes
	tooManyValues
	tooManyEvents
	tooManyLinks
	tooManyRecords
	tooManyGroups
	keyTooLong
	nameTooLong
)

// pass is one reading of one request.
type pass struct {
	limits  *Limits
	records int
	groups  int // resources, scopes and metrics
	bytes   int64
	broken  bool // an id
}

// result returns what the pass found.
func (p *pass) result(b breach) (Cost, error) {
	if b != none {
		return Cost{}, p.limits.err(b)
	}
	return Cost{Records: p.records, Bytes: p.bytes, BrokenIDs: p.broken}, nil
}

func (l *Limits) err(b breach) error {
	switch b {
	case tooDeep:
		return &Breach{"levels of nested values", l.Depth}
	case tooManyAttributes:
		return &Breach{"attributes of one resource, scope, record, event, link or map", l.Attributes}
	case tooManyValues:
		return &Breach{"values in one list", l.Values}
	case tooManyEvents:
		return &Breach{"events of one span", l.Events}
	case tooManyLinks:
		return &Breach{"links of one span", l.Links}
	case tooManyRecords:
		return &Breach{"spans, log records or data points", l.Records}
	case tooManyGroups:
		return &Breach{"resources, scopes and metrics", l.Records}
	case keyTooLong:
		return &Breach{"bytes in the key of one attribute", l.KeyBytes}
	case nameTooLong:
		return &Breach{"bytes in one name", l.NameBytes}
	default:
		return ErrMalformed
	}
}

// record counts one span, log record or data point.
func (p *pass) record() breach {
	if p.records++; p.records > p.limits.Records {
		return tooManyRecords
	}
	return none
}

// group counts one resource, scope or metric.
func (p *pass) group() breach {
	if p.groups++; p.groups > p.limits.Records {
		return tooManyGroups
	}
	return none
}
