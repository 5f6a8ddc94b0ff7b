// SPDX-License-Identifier: Apache-2.0

package spangen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// What the normaliser makes of the sent form is the span that was generated.
func TestSentSpansComeBackAsTheyWereMade(t *testing.T) {
	t.Parallel()
	g := spangen.New(spangen.Options{Seed: 7, Start: time.Now()})
	made := map[span.ID]span.Span{}
	var list []span.Span
	for range 200 {
		_, s := g.Next()
		s.Environment = ""
		made[s.SpanID] = s
		list = append(list, s)
	}
	seen := 0
	for _, rs := range spangen.Traces(list).ResourceSpans().All() {
		resource := genai.NewResource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			for _, sent := range ss.Spans().All() {
				got := genai.FromOTLP(resource, ss.Scope(), sent)
				require.Equal(t, made[got.SpanID], got)
				seen++
			}
		}
	}
	require.Equal(t, len(list), seen)
}
