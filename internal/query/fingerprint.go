// SPDX-License-Identifier: Apache-2.0

package query

import (
	"crypto/sha256"
	"encoding/binary"
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
