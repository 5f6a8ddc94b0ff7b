// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// The task score of agent-efficiency is that of agent-goal-completeness.
func TestTrajectoriesAreJudgedInTheSameLanguages(t *testing.T) {
	t.Parallel()
	whole, _ := Catalog().Get("agent-goal-completeness")
	steps, _ := Catalog().Get("agent-efficiency")
	require.NotEmpty(t, whole.Languages)
	require.Equal(t, whole.Languages, steps.Languages)
}

// A text of a language that an evaluator does not know is no text without
// profanity, and no irrelevant answer either.
func TestWhatKnowsEnglishOnlySaysSo(t *testing.T) {
	t.Parallel()
	const german = "Das Museum wurde im Frühjahr eröffnet und zeigt Bilder vom Rhein."
	speaking := 0
	for _, e := range Catalog().All() {
		if len(e.Languages) == 0 {
			continue
		}
		speaking++
		if more := map[string][]string{"profanity-detector": {"en", "de", "es", "fr", "it", "pt"}, "instruction-adherence": {"en", "de"}}[e.Slug]; more != nil {
			require.Equal(t, more, e.Languages)
			continue
		}
		require.Equal(t, []string{"en"}, e.Languages, e.Slug)
		list, err := json.Marshal([]string{german})
		require.NoError(t, err)
		get := func(f *eval.Field) (string, bool) {
			if f.JSONText && f.Name != "context" {
				return string(list), true
			}
			return german, true
		}
		got, err := fromInputs(t.Context(), e, get, nil)
		require.NoError(t, err)
		if e.Slug == "semantic-similarity" {
			continue // two texts of one language are compared by their words
		}
		require.True(t, got.Uncertain, e.Slug)
		require.Equal(t, eval.ReasonLanguage, got.Reason, e.Slug)
		require.Equal(t, "de", got.Language)
	}
	require.Greater(t, speaking, 12)
}

func TestRequestsAreAnsweredInAnyLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Das Museum wurde im Frühjahr eröffnet und ist sehr schön.": "de",
		"The museum was opened in the spring and is very nice.":     "en",
		"Museum":    "",
		"いいえ、違います。": "ja",
	} {
		e, _ := Catalog().Get("tone-detection")
		input, err := json.Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		got, err := e.FromJSON(t.Context(), input, nil)
		require.NoError(t, err)
		require.Equal(t, want, got.Language)
		require.Len(t, got.Outputs, 3)
	}
}

func TestTextsInTwoLanguagesAreNotCompared(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("semantic-similarity")
	texts := map[string]string{"completion": "The museum was opened in the spring.", "reference": "Das Museum wurde im Frühjahr eröffnet und ist schön."}
	got, err := fromInputs(t.Context(), e, func(f *eval.Field) (string, bool) { return texts[f.Name], true }, nil)
	require.NoError(t, err)
	require.Equal(t, eval.ReasonLanguage, got.Reason)
	require.Equal(t, "de", got.Language)
}
