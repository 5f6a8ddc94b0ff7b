// SPDX-License-Identifier: Apache-2.0

package prices_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/genai/prices"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestCostOfSpans(t *testing.T) {
	t.Parallel()
	table := prices.New(map[string]prices.Price{
		"gpt-4o":      {Input: 2.5, Output: 10, CacheRead: 1.25, CacheWrite: -1},
		"gpt-4o-mini": {Input: 0.15, Output: 0.6, CacheRead: -1, CacheWrite: -1},
		"claude":      {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		"free":        {},
	}, nil)
	const none = span.NoTokens
	for name, row := range map[string]struct {
		attributes  map[string]any
		cost, input int64
	}{
		"by tokens":                  {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100}, 3_500_000, 2_500_000},
		"with a version":             {map[string]any{"gen_ai.response.model": "gpt-4o-mini-2024-07-18", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100}, 210_000, 150_000},
		"with a provider":            {map[string]any{"gen_ai.request.model": "openai/gpt-4o@2", "gen_ai.usage.input_tokens": 1000}, 2_500_000, 2_500_000},
		"of the model that answered": {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.response.model": "gpt-4o-mini", "gen_ai.usage.output_tokens": 100}, 60_000, 0},
		"read from a cache":          {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cache_read.input_tokens": 400, "gen_ai.usage.output_tokens": 0}, 2_000_000, 2_000_000},
		"written to a cache":         {map[string]any{"gen_ai.request.model": "claude", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cache_creation.input_tokens": 1000}, 3_750_000, 3_750_000},
		"cached next to input":       {map[string]any{"gen_ai.request.model": "claude", "gen_ai.usage.input_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 1000}, 330_000, 330_000},
		"cached extra by the total ": {map[string]any{"gen_ai.request.model": "claude", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100, "gen_ai.usage.total_tokens": 1500, "gen_ai.usage.cache_read.input_tokens": 400}, 4_620_000, 3_120_000},
		"another name":               {map[string]any{"gen_ai.request.model": "gpt-4omega", "gen_ai.usage.input_tokens": 1000}, none, none},
		"no tokens":                  {map[string]any{"gen_ai.request.model": "gpt-4o"}, none, none},
		"no model":                   {map[string]any{"gen_ai.usage.input_tokens": 1000}, none, none},
		"free of charge":             {map[string]any{"gen_ai.request.model": "free", "gen_ai.usage.input_tokens": 1000}, 0, 0},
		"as OpenInference says":      {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "llm.cost.total": 0.25, "llm.cost.prompt": 0.05}, 250_000_000, 50_000_000},
		"as OpenLIT says":            {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cost": "1e-7"}, 100, none},
		"as Logfire says":            {map[string]any{"operation.cost": 0.0015}, 1_500_000, none},
		"as Langfuse says":           {map[string]any{"langfuse.observation.cost_details": `{"input": 0.1, "output": 0.2, "total": 0.3}`}, 300_000_000, 100_000_000},
		"a reported zero":            {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "llm.cost.total": 0}, 0, none},
		"less than nothing":          {map[string]any{"llm.cost.total": -1.0}, none, none},
		"of an agent's calls":        {map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000}, none, none},
		"as an agent says":           {map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.cost": 0.5}, 500_000_000, none},
		"not a number":               {map[string]any{"llm.cost.total": "NaN", "gen_ai.usage.cost": "much", "operation.cost": math.Inf(1)}, none, none},
		"more than there is":         {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": math.MaxInt64}, none, none},
	} {
		s := genaitest.FromAttributes(t, row.attributes)
		table.Fill(&s)
		require.Equal(t, row.cost, s.Cost, name)
		require.Equal(t, row.input, s.InputCost, name)
	}
}
