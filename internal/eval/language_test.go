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

func TestTextsOfOtherLanguagesAreNotJudgedOnSpans(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, speaking())
	require.Equal(t, []string{"en", "de"}, e.Languages)
	for _, known := range []string{"en", "de", ""} {
		got, err := fromSpan(t.Context(), e, parts{"output": known}, nil)
		require.NoError(t, err)
		require.Equal(t, known, got.Language)
		require.NotEmpty(t, got.Outputs)
	}
	got, err := fromSpan(t.Context(), e, parts{"output": "fr"}, nil)
	var other *OtherLanguageError
	require.ErrorAs(t, err, &other)
	require.Equal(t, OtherLanguageError{"many-ways", "fr"}, *other)
	require.EqualError(t, err, "many-ways does not know the language fr")
	require.Equal(t, Result{Language: "fr"}, got)

	for name, judged := range map[string]func() (Result, error){
		"of a request": func() (Result, error) { return e.FromJSON(t.Context(), json.RawMessage(`{"text":"fr"}`), nil) },
		"wanted so":    func() (Result, error) { return fromSpan(t.Context(), e.InAnyLanguage(), parts{"output": "fr"}, nil) },
	} {
		got, err := judged()
		require.NoError(t, err, name)
		require.Equal(t, "fr", got.Language, name)
		require.Equal(t, []Output{{"text", "local"}}, got.Outputs, name)
	}
	_, err = fromSpan(t.Context(), e, parts{"output": "fr"}, nil)
	require.ErrorAs(t, err, &other, "the evaluator itself stays as it is")
}

func TestModelsKnowEveryLanguage(t *testing.T) {
	t.Parallel()
	e := makeEvaluator(t, speaking()).With(Models{Judge: judgeStub{}})
	got, err := fromSpan(t.Context(), e, parts{"output": "fr"}, nil)
	require.NoError(t, err)
	require.Equal(t, []Output{{"text", "judged"}}, got.Outputs)
	require.Empty(t, got.Language, "nobody looked")
	_, err = fromSpan(t.Context(), e, parts{"output": "fr"}, json.RawMessage(`{"backend":"embedded"}`))
	require.Error(t, err)
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
