// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// requireSpans expects spans that are equal; no attributes and empty ones are
// the same.
func requireSpans(t *testing.T, want, got []span.Span) {
	t.Helper()
	require.Equal(t, ids(want), ids(got))
	for i := range want {
		require.Equal(t, canonical(want[i]), canonical(got[i]))
	}
}

func canonical(s span.Span) span.Span {
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

// ids names spans, to compare many at once.
func ids(list []span.Span) []string {
	names := []string{}
	for i := range list {
		names = append(names, list[i].TraceID.String()+"/"+list[i].SpanID.String())
	}
	return names
}
