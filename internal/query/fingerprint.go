// SPDX-License-Identifier: Apache-2.0

package query

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// Fingerprint identifies what a query asks, whichever page of it and however
// long: queries that differ only in After, Limit and Total share it. It is the same
// in every process and release that speaks one cursor version.
type Fingerprint [sha256.Size]byte

// Fingerprint returns the fingerprint of q.
func (q Query) Fingerprint() Fingerprint {
	b := appendText(nil, string(q.Subject))
	b = binary.BigEndian.AppendUint64(b, uint64(q.From))
	b = binary.BigEndian.AppendUint64(b, uint64(q.To))
	for _, text := range [...]string{string(q.Order.By), q.Order.Slug, q.Order.Output} {
		b = appendText(b, text)
	}
	if q.Order.Descending {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	return sha256.Sum256(appendFilters(b, q.Filters))
}

// Fingerprint identifies what an aggregate without a Rollup asks, but for its period. It is
// the same in one process.
func (a *Aggregate) Fingerprint() Fingerprint {
	b := appendNumbers(appendFilters(appendText(nil, string(a.Subject)), a.Filters), a.Filters)
	b = binary.AppendUvarint(b, uint64(len(a.By)))
	for _, f := range a.By {
		b = appendField(b, f)
	}
	b = binary.AppendUvarint(b, uint64(len(a.Figures)))
	for i := range a.Figures {
		f := &a.Figures[i]
		b = appendField(appendText(b, string(f.Measure)), f.Of)
		var where []Filter
		if f.Where != nil {
			where = []Filter{*f.Where}
		}
		b = binary.AppendVarint(appendNumbers(appendFilters(b, where), where), int64(f.Percent))
	}
	return sha256.Sum256(fmt.Appendf(b, "%d %t %q %t %d %d", a.Step, a.Only == nil, a.Only, a.Others, a.Limit, a.Enough))
}

func appendField(b []byte, f Field) []byte {
	return appendText(appendText(appendText(b, string(f.Kind)), f.Name), f.Output)
}

// appendNumbers appends the numbers that filters compare with.
func appendNumbers(b []byte, filters []Filter) []byte {
	for i := range filters {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(filters[i].Number))
		b = appendNumbers(b, filters[i].Filters)
	}
	return b
}

func appendFilters(b []byte, filters []Filter) []byte {
	b = binary.AppendUvarint(b, uint64(len(filters)))
	for i := range filters {
		f := &filters[i]
		for _, text := range [...]string{string(f.Field.Kind), f.Field.Name, f.Field.Output, string(f.Operator), f.Value} {
			b = appendText(b, text)
		}
		b = binary.AppendUvarint(b, uint64(len(f.Values)))
		for _, text := range f.Values {
			b = appendText(b, text)
		}
		b = appendFilters(b, f.Filters)
	}
	return b
}

// appendText writes text with its length before it, so that no two lists of
// texts give the same bytes.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
