// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// speaking is manyWays, which knows English and German, and takes each text for
// the name of its language.
func speaking() Definition[textInput, None, textOutput] {
	d := manyWays()
	d.Languages = []string{"en", "de"}
	d.Language = func(in textInput) string { return in.Text }
	return d
}

func TestTextsOfOtherLanguagesAreUncertain(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, speaking())
	require.Equal(t, []string{"en", "de"}, e.Languages)
	for _, known := range []string{"en", "de", ""} {
		got, err := fromSpan(t.Context(), e, parts{"output": known}, nil)
		require.NoError(t, err)
		require.Equal(t, known, got.Language)
		require.NotEmpty(t, got.Outputs)
		require.False(t, got.Uncertain)
	}
	of := func(e *Evaluator, judged func(e *Evaluator) (Result, error)) Result {
		got, err := judged(e)
		require.NoError(t, err)
		require.Equal(t, "fr", got.Language)
		require.Equal(t, []Output{{"text", "local"}}, got.Outputs, "the best guess")
		return got
	}
	for _, judged := range []func(e *Evaluator) (Result, error){
		func(e *Evaluator) (Result, error) {
			return e.FromJSON(t.Context(), json.RawMessage(`{"text":"fr"}`), nil)
		},
		func(e *Evaluator) (Result, error) { return fromSpan(t.Context(), e, parts{"output": "fr"}, nil) },
	} {
		require.Zero(t, of(e.InAnyLanguage(), judged).Judged)
		got := of(e, judged)
		require.Equal(t, Unsure(ReasonLanguage), got.Judged, "the evaluator itself stays as it is")
		body, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, `{"text": "local", "uncertain": true, "reason": "language"}`, string(body))
	}
}

func TestModelsKnowEveryLanguage(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, speaking()).With(Models{Judge: judgeStub{}})
	got, err := fromSpan(t.Context(), e, parts{"output": "fr"}, nil)
	require.NoError(t, err)
	require.Equal(t, []Output{{"text", "judged"}}, got.Outputs)
	require.Empty(t, got.Language, "not detected")
	got, err = fromSpan(t.Context(), e, parts{"output": "fr"}, json.RawMessage(`{"backend":"embedded"}`))
	require.NoError(t, err)
	require.True(t, got.Uncertain)
}

func TestLanguagesComeWithWhatTellsThem(t *testing.T) {
	t.Parallel()
	for _, spoil := range []func(d *Definition[textInput, None, textOutput]){
		func(d *Definition[textInput, None, textOutput]) { d.Languages = nil },
		func(d *Definition[textInput, None, textOutput]) { d.Language = nil },
		func(d *Definition[textInput, None, textOutput]) { d.Run = nil },
	} {
		d := speaking()
		spoil(&d)
		_, err := New(d)
		require.ErrorContains(t, err, "languages need")
	}
}
