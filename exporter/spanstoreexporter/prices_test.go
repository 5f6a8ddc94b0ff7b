// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter/exportertest"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestSpansArePriced(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ cost, input int64 }{
		"":         {3_000_000, 2_000_000}, // as listed: 600 × 2.5 + 400 × 1.25 + 100 × 10 dollars a million
		"priced":   {2_400_000, 1_600_000}, // 600 × 2 + 400 × 1 + 100 × 8
		"unpriced": {span.NoTokens, span.NoTokens},
	} {
		h := newHost(t)
		f := NewFactory()
		cfg := f.CreateDefaultConfig().(*Config)
		require.NoError(t, configtest.Load(t, component.MustNewIDWithName("spanstore", name), cfg), name)
		cfg.Store = component.MustNewID("store")
		e, err := f.CreateTraces(t.Context(), exportertest.NewNopSettings(Type), cfg)
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context(), h))
		t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
		td := stamped()
		a := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		a.PutStr("gen_ai.request.model", "gpt-4o-2024-08-06")
		a.PutInt("gen_ai.usage.input_tokens", 1000)
		a.PutInt("gen_ai.usage.cache_read.input_tokens", 400)
		a.PutInt("gen_ai.usage.output_tokens", 100)
		require.NoError(t, e.ConsumeTraces(t.Context(), td))
		require.Len(t, h.shelf.records, 1)
		got := h.shelf.records[0].Span
		require.Equal(t, want.cost, got.Cost, name)
		require.Equal(t, want.input, got.InputCost, name)
	}
}

func TestBadPricesAreRefused(t *testing.T) {
	t.Parallel()
	below := -1.0
	cfg := &Config{Store: component.MustNewID("store"), Prices: map[string]PriceConfig{
		"": {}, "a": {Input: -1, CacheRead: &below}, "b": {Output: math.NaN()}, "c": {Input: 2e6},
	}}
	err := cfg.Validate()
	for _, text := range []string{`"prices" must name models`, `"prices::a::input"`, `"prices::a::cache_read"`, `"prices::b::output"`, `"prices::c::input" must be 0 to 1,000,000 dollars for a million tokens`} {
		require.ErrorContains(t, err, text)
	}
}
