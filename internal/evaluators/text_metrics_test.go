// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// output runs an evaluator and gives its only output.
func output(t *testing.T, slug string, input any) any {
	t.Helper()
	e, ok := Catalog().Get(slug)
	require.True(t, ok)
	got, err := e.FromJSON(t.Context(), toJSON(t, input), nil)
	require.NoError(t, err)
	require.Len(t, got.Outputs, 1)
	return got.Outputs[0].Value
}

func TestCharactersAreCodePoints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"":                0,
		"\thello ":        7,
		"né":              2,
		"a\u0301":         2,
		"👨\u200d👩\u200d👧": 5,
		"\x00":            1,
	} {
		require.Equal(t, want, output(t, "char-count", map[string]string{"text": text}), "%q", text)
	}
	// What is no UTF-8 counts one for each broken unit, in requests as on spans.
	e, _ := Catalog().Get("char-count")
	got, err := e.FromJSON(t.Context(), json.RawMessage(`{"text": "a\ud800b`+"\xff\xfe"+`"}`), nil)
	require.NoError(t, err)
	require.Equal(t, int64(5), got.Outputs[0].Value)
	got, err = fromSpan(t.Context(), e, parts{"output": "ab\xff\xfe"}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(4), got.Outputs[0].Value)
}

func TestWordsStandBetweenWhiteSpace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"":                       0,
		" \t\r\n\v\f ":           0,
		"a - b":                  3,
		"don't stop":             2,
		"a\u00a0b\u3000c\u2028d": 4,
		"a\x1cb\x1dc\x1ed\x1fe":  5,
		"a\u0085b":               2,
		"a\u200bb\ufeffc\u200dd": 1,
		"今日は":                    1,
		"a\x00b":                 1,
	} {
		require.Equal(t, want, output(t, "word-count", map[string]string{"text": text}), "%q", text)
	}
}

func TestRatios(t *testing.T) {
	t.Parallel()
	pair := func(numerator, denominator string) map[string]string {
		return map[string]string{"numerator_text": numerator, "denominator_text": denominator}
	}
	require.InDelta(t, 2./3, output(t, "char-count-ratio", pair("né", "abc")), 0)
	require.InDelta(t, 1./3, output(t, "word-count-ratio", pair("one", "one two three")), 0)
	e, _ := Catalog().Get("word-count-ratio")
	_, err := fromSpan(t.Context(), e, parts{"output": "a", "question": " \n"}, nil)
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestLongTextsAreCutOnSpans(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("char-count")
	got, err := fromSpan(t.Context(), e, parts{"output": strings.Repeat("é", eval.MaxText)}, nil)
	require.NoError(t, err)
	require.True(t, got.Truncated)
	require.Equal(t, int64(eval.MaxText/2), got.Outputs[0].Value)
	got, err = fromSpan(t.Context(), e, parts{"output": strings.Repeat("a", eval.MaxText)}, nil)
	require.NoError(t, err)
	require.False(t, got.Truncated)
}

func TestPerplexityReadsLogProbs(t *testing.T) {
	t.Parallel()
	const want = 3.525421487365382
	for _, logprobs := range []any{
		"[-2.3,-1.5,-0.8,-1.2,-0.5]",
		[]float64{-2.3, -1.5, -0.8, -1.2, -0.5},
		`[{"token":"a","logprob":-2.3},-1.5,{"logprob":-0.8,"top_logprobs":[]},-1.2,{"logprob":-0.5}]`,
		`{"content":[{"logprob":-2.3},{"logprob":-1.5},{"logprob":-0.8},{"logprob":-1.2},{"logprob":-0.5}],"refusal":null}`,
		map[string]any{"content": []float64{-2.3, -1.5, -0.8, -1.2, -0.5}},
	} {
		require.InDelta(t, want, output(t, "perplexity", map[string]any{"logprobs": logprobs}), 1e-12)
	}
	require.InDelta(t, 1, output(t, "perplexity", map[string]any{"logprobs": "[1e-7]"}), 1e-6)
	require.InEpsilon(t, math.Exp(maxExponent), output(t, "perplexity", map[string]any{"logprobs": "[-9999]"}), 1e-12)
	require.InEpsilon(t, math.Exp(maxExponent), output(t, "perplexity", map[string]any{"logprobs": "[-1e308,-1e308]"}), 1e-12)
}

func TestPerplexityRefusesWhatIsNoLogProb(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("perplexity")
	for _, text := range []string{
		"", " ", "x", "7", `"[-1]"`, "{}", `{"content":null}`, `{"content":{}}`, "[null]", `["-1"]`, "[true]", "[[-1]]", `[{}]`,
		`[{"logprob":null}]`, `[{"logprob":"-1"}]`, "[NaN]", "[-Infinity]", "[-1e999]", "[-1", "[-1] x", "[]", "[0.5]", "[0.011]",
	} {
		refuses(t, e, map[string]any{"logprobs": text}, nil, fault.Invalid, "input.logprobs must ")
		_, err := fromSpan(t.Context(), e, parts{"logprobs": text}, nil)
		require.True(t, fault.Is(err, fault.Invalid), text)
	}
	_, err := fromSpan(t.Context(), e, parts{"logprobs": "[" + strings.Repeat(" ", eval.MaxText) + "-1]"}, nil)
	require.True(t, fault.Is(err, fault.TooLarge), "a list is not cut")
}

func BenchmarkCharCountFromSpan(b *testing.B) {
	e, _ := Catalog().Get("char-count")
	span := eval.Source(parts{"output": "a short answer"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFiveFromSpan is a span of 1 KB texts judged by five evaluators that
// count and check formats.
func BenchmarkFiveFromSpan(b *testing.B) {
	var five []*eval.Evaluator
	for _, slug := range []string{"char-count", "char-count-ratio", "word-count", "word-count-ratio", "json-validator"} {
		e, _ := Catalog().Get(slug)
		five = append(five, e)
	}
	span := eval.Source(parts{
		"output":   `{"answer": "` + strings.Repeat("lorem ipsum ", 85) + `"}`,
		"question": strings.Repeat("what is this? ", 75),
	})
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range five {
			if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestTextsWithoutWordsAreComparedByTheirSigns(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want float64
	}{{"👍", " 👍 ", 1}, {"👍", "👎", 0}, {"{}", "[]", 0}, {"?", "", 1}, {"…", "!!", 1}, {"👍", "", 0}} {
		for slug, in := range map[string][2]string{"semantic-similarity": {"completion", "reference"}, "answer-correctness": {"completion", "ground_truth"}} {
			e, ok := Catalog().Get(slug)
			require.True(t, ok)
			got, _, err := run(t, e, string(toJSON(t, map[string]string{"question": "Well?", in[0]: row.a, in[1]: row.b})), ``)
			require.NoError(t, err)
			require.InDelta(t, row.want, got[e.Output[0].Name], 1e-9, "%s: %q and %q", slug, row.a, row.b)
		}
	}
	e, ok := Catalog().Get("agent-goal-accuracy")
	require.True(t, ok)
	got, _, err := run(t, e, `{"question": "Book a table at Luigi's", "completion": "It rained all day in the old town of Bonn.", "reference": "—"}`, ``)
	require.NoError(t, err)
	require.Zero(t, got["accuracy_score"], "a reference that says nothing is none")
}
