// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// RequireSpans expects spans that are equal; no attributes and empty ones are
// the same.
func RequireSpans(t *testing.T, want, got []span.Span) {
	t.Helper()
	require.Equal(t, IDs(want), IDs(got))
	for i := range want {
		require.Equal(t, Canonical(want[i]), Canonical(got[i]))
	}
}

// Canonical returns a span in which what is empty is absent.
func Canonical(s span.Span) span.Span {
	for _, list := range []*span.Attributes{&s.Resource, &s.Attributes, &s.Prompts, &s.Completions} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	s.Events = slices.Clone(s.Events)
	for i := range s.Events {
		if len(s.Events[i].Attributes) == 0 {
			s.Events[i].Attributes = nil
		}
	}
	s.Links = slices.Clone(s.Links)
	for i := range s.Links {
		if len(s.Links[i].Attributes) == 0 {
			s.Links[i].Attributes = nil
		}
	}
	if len(s.Links) == 0 {
		s.Links = nil
	}
	if len(s.Events) == 0 {
		s.Events = nil
	}
	return s
}

// IDs names spans, to compare many at once.
func IDs(list []span.Span) []string {
	names := []string{}
	for i := range list {
		names = append(names, list[i].TraceID.String()+"/"+list[i].SpanID.String())
	}
	return names
}
