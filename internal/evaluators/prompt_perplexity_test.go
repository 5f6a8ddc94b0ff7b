// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestGibberishIsSurprising(t *testing.T) {
	t.Parallel()
	e, ok := Catalog().Get("prompt-perplexity")
	require.True(t, ok)
	score := func(prompt string) (all, peak float64) {
		got, result, err := run(t, e, string(toJSON(t, map[string]string{"prompt": prompt})), ``)
		require.NoError(t, err)
		require.Equal(t, eval.Embedded, result.Backend)
		all, _ = got["perplexity_score"].(float64)
		peak, _ = got["peak_perplexity_score"].(float64)
		require.GreaterOrEqual(t, peak, all*0.999999)
		require.LessOrEqual(t, peak, 1e9)
		return all, peak
	}
	const plain = "Please tell me a short story about a dragon who lives in the mountains and is afraid of the dark."
	all, peak := score(plain)
	require.Less(t, peak, 10_000.0)
	for _, gibberish := range []string{"aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", "xqzj vkwp qqqz zzkj wpxq", strings.Repeat("\x00\x01\x02", 8), "法国的首都是哪里请用一句话回答"} {
		got, _ := score(gibberish)
		require.Greater(t, got, 100_000.0, gibberish)
	}
	for _, short := range []string{"hi", "ok", "42", "?", "a", "👍", "Thanks 👍", "Why?", "Hello", "ls -la", "naïve café", "2024-01-01", "Please help me with this 🙏🙏🙏", "\x00\x01\x02"} {
		got, _ := score(short)
		require.Less(t, got, 10_000.0, "%s: there is little to tell by", short)
	}
	longer, _ := score(plain[:40])
	shorter, _ := score(plain[:39])
	require.InEpsilon(t, longer, shorter, 0.2, "there is no step at 40 characters")
	mixed, mixedPeak := score(plain + " xq!!zk}}vv ##0x zzqpw kkjh ==<> @@zq")
	require.Greater(t, mixed, all)
	require.Greater(t, mixedPeak, 100*mixed, "what was put in shows")
	long, _ := score(strings.Repeat(plain+" ", 500))
	short, _ := score(strings.Repeat(plain+" ", 40))
	require.InDelta(t, short, long, short/10, "the first 4,000 characters count")
}

func TestPerplexityByAServer(t *testing.T) {
	t.Parallel()
	e, ok := Catalog().Get("prompt-perplexity")
	require.True(t, ok)
	token := func(p float64) modeltest.Token { return modeltest.Token{Text: "a", LogProb: p} }
	ask := func(tokens ...modeltest.Token) (map[string]any, error) {
		models, _ := modeltest.Models(t, modeltest.Echo(tokens...))
		input := string(toJSON(t, map[string]string{"prompt": strings.Repeat("a", len(tokens))}))
		got, result, err := run(t, e.With(eval.Models{Scorer: models.Scorer, Judge: models.Judge}), input, ``)
		if err == nil {
			require.Equal(t, eval.Judge, result.Backend)
		}
		return got, err
	}
	got, err := ask(token(0), token(-1), token(-2))
	require.NoError(t, err)
	require.InDelta(t, 4.4816890703, got["perplexity_score"], 1e-9, "the first token follows nothing")
	require.InDelta(t, 4.4816890703, got["peak_perplexity_score"], 1e-9)
	got, err = ask(token(0), token(-9999))
	require.NoError(t, err)
	require.InDelta(t, 1e9, got["perplexity_score"], 0)
	_, err = ask(token(0))
	require.True(t, fault.Is(err, fault.Invalid))
	checkCases(t, []judgeCase{
		{about: "an outage", slug: "prompt-perplexity", input: `{"prompt":"ab"}`, script: []modeltest.Step{modeltest.Status(503, "x")}, kind: fault.Unavailable},
		{about: "no prompt", slug: "prompt-perplexity", input: `{"prompt":"\n"}`, kind: fault.Invalid},
	})
}

func TestPeaks(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 2, peak([]float64{1, 2, 3}, 3), 1e-12)
	require.InDelta(t, 2, peak([]float64{1, 2, 3}, 9), 1e-12)
	require.InDelta(t, 2.5, peak([]float64{1, 2, 3, 0}, 2), 1e-12)
	require.InDelta(t, 3, peak([]float64{1, 2, 3, 0}, 1), 1e-12)
}
