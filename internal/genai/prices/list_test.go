// SPDX-License-Identifier: Apache-2.0

package prices

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// TestListIsPlausible finds rows in which a digit or a column went astray.
func TestListIsPlausible(t *testing.T) {
	t.Parallel()
	require.Contains(t, list, "# Source: https://")
	r := csv.NewReader(strings.NewReader(list))
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	models := map[string]int{}
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		models[row[0]]++
		require.False(t, seen[row[1]+row[2]], row)
		seen[row[1]+row[2]] = true
	}
	for provider, least := range map[string]int{"openai": 60, "anthropic": 20, "google": 15, "mistral": 15, "cohere": 4, "deepseek": 4, "x-ai": 10, "aws": 30} {
		require.GreaterOrEqual(t, models[provider], least, provider)
	}
	for model, bySize := range Listed() {
		require.Zero(t, bySize[0].above, model)
		for n, l := range bySize {
			p := l.price
			require.True(t, p.Input >= 0.005 && p.Input <= 200, "%s reads for %v", model, p.Input)
			require.True(t, p.Output == 0 || p.Output >= p.Input && p.Output <= 12*p.Input, "%s writes for %v and reads for %v", model, p.Output, p.Input)
			require.True(t, p.CacheRead < 0 || p.CacheRead > 0 && p.CacheRead < p.Input, "%s reads from caches for %v", model, p.CacheRead)
			require.True(t, p.CacheWrite < 0 || p.CacheWrite > p.Input && p.CacheWrite <= 2*p.Input, "%s writes to caches for %v", model, p.CacheWrite)
			if n > 0 {
				before := bySize[n-1]
				require.Greater(t, l.above, before.above, model)
				require.True(t, p.Input > before.price.Input && p.Input <= 2*before.price.Input, model)
			}
		}
	}
}

// TestNamesOfModels has names as providers and SDKs report them.
func TestNamesOfModels(t *testing.T) {
	t.Parallel()
	table := New(map[string]Price{"mine": {Input: 1, Output: 1}, "gpt-4o": {Input: 2, Output: 8}}, Listed())
	for name, want := range map[string]float64{ // dollars for 100,000 tokens in and as many out
		"gpt-4.1":                                         1,
		"gpt-4.1-2025-04-14":                              1,
		"openai/gpt-4.1-mini":                             0.2,
		"azure/gpt-4.1-mini":                              0.2,
		"gpt-4o-mini-2024-07-18":                          0.075, // listed, and not the price that is ours of gpt-4o
		"gpt-4o-2024-08-06":                               1,
		"openai/mine":                                     0.2,
		"o3":                                              1,
		"text-embedding-3-small":                          0.002,
		"text-embedding-ada-002":                          0.01,
		"claude-sonnet-4-5-20250929":                      1.8,
		"anthropic/claude-sonnet-4.5":                     1.8,
		"claude-opus-4@20250514":                          9,
		"claude-3-5-haiku-latest":                         0.48,
		"anthropic.claude-3-5-sonnet-20241022-v2:0":       1.8,
		"us.anthropic.claude-3-5-haiku-20241022-v1:0":     0.48,
		"us.anthropic.claude-haiku-4-5-20251001-v1:0":     0.66,
		"global.anthropic.claude-haiku-4-5-20251001-v1:0": 0.6,
		"eu.amazon.nova-pro-v1:0":                         0.4,
		"amazon.nova-lite-v1:0:300k":                      0.03,
		"us.meta.llama3-3-70b-instruct-v1:0":              0.144,
		"arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-micro-v1:0": 0.0175,
		"models/gemini-2.5-flash":                            0.28,
		"gemini-2.0-flash-001":                               0.05,
		"publishers/google/models/gemini-2.5-pro":            1.125,
		"gemini-2.5-pro-preview-06-05":                       1.125,
		"mistral-large-2411":                                 0.8,
		"command-r-plus-08-2024":                             1.25,
		"xai/grok-3-latest":                                  1.8,
		"deepseek/deepseek-chat":                             0.137,
		"gpt-4.1-tiny":                                       -1, // another model
		"gpt-4.10":                                           -1,
		"ft:gpt-4.1:acme::1":                                 -1,
		"mistral-nemo:12b":                                   -1,
		"ollama/mistral-large":                               -1,
		"fireworks_ai/accounts/fireworks/models/deepseek-r1": -1,
		"":                       -1,
		"-":                      -1,
		strings.Repeat("a", 300): -1,
	} {
		s := span.Span{Type: span.TypeLLM, RequestModel: name, InputTokens: 100_000, OutputTokens: 100_000, Cost: span.NoTokens, InputCost: span.NoTokens}
		table.Fill(&s)
		got := float64(s.Cost) / span.PerDollar
		if s.Cost == span.NoTokens {
			got = -1
		}
		require.InDelta(t, want, got, 1e-9, name)
	}
	s := span.Span{Vendor: "ollama", RequestModel: "deepseek-r1", InputTokens: 1, OutputTokens: 1, Cost: span.NoTokens}
	table.Fill(&s)
	require.Equal(t, span.NoTokens, s.Cost)
}

// TestLargeInputs are priced as a whole by what they have beyond a bound.
func TestLargeInputs(t *testing.T) {
	t.Parallel()
	table := New(nil, Listed())
	for tokens, want := range map[int64]float64{200_000: 0.25, 200_001: 0.5000025} {
		s := span.Span{RequestModel: "gemini-2.5-pro", InputTokens: tokens, OutputTokens: 0, Cost: span.NoTokens}
		table.Fill(&s)
		require.InDelta(t, want, float64(s.Cost)/span.PerDollar, 1e-9)
	}
}
