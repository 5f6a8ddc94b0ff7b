// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Spans with the same digest would be taken for a repetition and not be stored.
func TestDigestTellsSpansApart(t *testing.T) {
	t.Parallel()
	now := newClock().now()
	was, _ := store.Digest(nil, &keptRecords(now)[0].Span)
	v := reflect.TypeFor[span.Span]()
	for i := range v.NumField() {
		s := keptRecords(now)[0].Span
		f := reflect.ValueOf(&s).Elem().Field(i)
		f.SetZero()
		got, _ := store.Digest(nil, &s)
		switch v.Field(i).Name {
		case "Environment", "TraceID", "SpanID", // whose it is and which
			"Arrived",                                                      // when it came again
			"Type", "Conversation", "Session", "User", "Cost", "InputCost": // what follows from the rest, and from prices
			require.Equal(t, was, got, v.Field(i).Name)
		default:
			require.NotEqual(t, was, got, v.Field(i).Name)
		}
	}
}
