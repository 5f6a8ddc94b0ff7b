// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// digest gives a number that differs when spans do, and the buffer for the next
// call. It is stored: it must not change from one version to the next.
func digest(buffer []byte, s *span.Span) (uint64, []byte) {
	r := newRow(s)
	b := spanColumns.tell(buffer[:0], &r)
	return xxhash.Sum64(b), b
}

func appendAttributes(b []byte, list span.Attributes) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, a := range list {
		b = appendText(appendText(b, a.Key), a.Value)
	}
	return b
}
