// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestTheSameSeedMakesTheSameSpans(t *testing.T) {
	t.Parallel()
	one, two, other := New(Options{Seed: 1}), New(Options{Seed: 1}), New(Options{Seed: 2})
	differ := 0
	for range 500 {
		env1, s1 := one.Next()
		env2, s2 := two.Next()
		_, s3 := other.Next()
		require.Equal(t, env1, env2)
		require.Equal(t, s1, s2)
		require.Equal(t, one.Evaluations(&s1), two.Evaluations(&s2))
		if s1.TraceID != s3.TraceID {
			differ++
		}
	}
	require.Equal(t, 500, differ)
}

// TestSpansAreLikeThoseOfApplications holds the shares and sizes that the
// benchmarks stand for.
func TestSpansAreLikeThoseOfApplications(t *testing.T) {
	t.Parallel()
	start := time.Date(2025, 11, 21, 0, 0, 0, 0, time.UTC)
	g := New(Options{Seed: 1, Start: start, Period: time.Second})
	const n = 20_000
	calls, size, last := 0, 0, int64(0)
	envs := map[string]int{}
	traces, workflows := map[span.TraceID]bool{}, map[string]bool{}
	var prose []byte
	for range n {
		env, s := g.Next()
		require.Equal(t, env.Slug, s.Environment)
		require.GreaterOrEqual(t, s.Start, last)
		last = s.Start
		envs[env.Slug]++
		traces[s.TraceID], workflows[s.Workflow] = true, true
		if s.Vendor != "" {
			calls++
			require.Len(t, s.Attributes, 26)
			require.Contains(t, []int{2, 4, 6}, len(s.Prompts))
			require.Contains(t, []int{2, 3}, len(s.Completions))
		} else {
			require.Len(t, s.Attributes, 21)
		}
		size += 24 + 16 + len(s.Name) + len(s.Kind) + len(s.ScopeName) + len(s.ScopeVersion) + len(s.StatusCode)
		for _, list := range []span.Attributes{s.Resource, s.Attributes, s.Prompts, s.Completions} {
			for _, a := range list {
				size += len(a.Key) + len(a.Value)
			}
		}
		for _, list := range []span.Attributes{s.Prompts, s.Completions} {
			for _, a := range list {
				prose = append(prose, a.Value...)
			}
		}
		prose = append(append(prose, s.Input...), s.Output...)
	}
	require.InDelta(t, 0.52, float64(calls)/n, 0.02)
	require.InDelta(t, 8, float64(n)/float64(len(traces)), 0.5)
	require.InDelta(t, 0.6, float64(envs["prd"])/n, 0.03)
	require.Len(t, envs, 5)
	require.Greater(t, len(workflows), 1000)
	require.InDelta(t, 3360, float64(size)/n, 60)
	require.InDelta(t, float64(start.Add(n*time.Second).UnixNano()), float64(last), float64(10*time.Minute))
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)))
	require.NoError(t, err)
	require.InDelta(t, 3.5, float64(len(prose))/float64(len(z.EncodeAll(prose, nil))), 0.1)
}

func TestTracesAreNormalisedToTheSameSpans(t *testing.T) {
	t.Parallel()
	g := New(Options{Seed: 1, Start: time.Date(2025, 11, 21, 0, 0, 0, 0, time.UTC)})
	want := map[span.ID]span.Span{}
	var spans []span.Span
	for range 300 {
		_, s := g.Next()
		want[s.SpanID] = s
		spans = append(spans, s)
	}
	td := Traces(spans)
	require.Equal(t, 300, td.SpanCount())
	for _, rs := range td.ResourceSpans().All() {
		resource := genai.NewResource(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			for _, x := range ss.Spans().All() {
				got := genai.FromOTLP(resource, ss.Scope(), x)
				got.Environment = want[got.SpanID].Environment
				require.Equal(t, want[got.SpanID], got)
			}
		}
	}
}

func TestGivenTextsMakeCalls(t *testing.T) {
	t.Parallel()
	texts := []Exchange{{"Why?", "Because."}, {"When?", "Now."}}
	g := New(Options{Seed: 1, Texts: texts})
	seen, roots := map[Exchange]int{}, 0
	for range 200 {
		_, s := g.Next()
		require.Equal(t, span.TypeLLM, s.Type)
		if s.ParentSpanID == (span.ID{}) {
			roots++
		}
		prompt, _ := s.Prompts.Get("llm.prompts.0.content")
		completion, _ := s.Completions.Get("llm.completions.0.content")
		seen[Exchange{prompt, completion}]++
	}
	require.Len(t, seen, 2)
	require.Positive(t, seen[texts[0]])
	require.Positive(t, seen[texts[1]])
	require.Positive(t, roots)
	require.Less(t, roots, 200)
}
