// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func classifiedBy(t *testing.T, slug string, steps ...modeltest.Step) (*eval.Evaluator, *modeltest.Server) {
	t.Helper()
	e, ok := Catalog().Get(slug)
	require.True(t, ok, slug)
	models, server := modeltest.Models(t, steps...)
	return e.With(eval.Models{Classifier: models.Classifier, Judge: models.Judge}), server
}

func TestClassifiersJudge(t *testing.T) {
	t.Parallel()
	label := func(name string, score float64) modeltest.Label { return modeltest.Label{Label: name, Score: score} }
	for _, row := range []struct {
		slug, input, config, output string
		labels                      []modeltest.Label
		want                        any
	}{
		{"toxicity-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("toxic", 0.4), label("insult", 0.5), label("threat", 0.1)}, false},
		{"toxicity-detector", `{"text": "a"}`, `{"threshold": 0.7}`, "is_safe", []modeltest.Label{label("toxic", 0.6), label("neutral", 0.4)}, true},
		{"toxicity-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("Non-Toxic", 0.9), label("toxic", 0.1)}, true},
		{"profanity-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("obscene", 0.8), label("clean", 0.2)}, false},
		{"profanity-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("obscene", 0.2), label("clean", 0.8)}, true},
		{"sexism-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("toxic", 0.9), label("identity_hate", 0.1)}, true},
		{"sexism-detector", `{"text": "a"}`, ``, "is_safe", []modeltest.Label{label("sexist", 0.5), label("not sexist", 0.5)}, false},
		{"prompt-injection", `{"prompt": "a"}`, ``, "has_injection", []modeltest.Label{label("INJECTION", 0.9), label("SAFE", 0.1)}, true},
		{"prompt-injection", `{"prompt": "a"}`, `{"threshold": 0.95}`, "has_injection", []modeltest.Label{label("INJECTION", 0.9), label("SAFE", 0.1)}, false},
		{"tone-detection", `{"text": "a"}`, ``, "tone", []modeltest.Label{label("Joy", 0.4), label("anger", 0.4), label("fear", 0.2)}, "anger"},
		{"tone-detection", `{"text": "a"}`, ``, "score", []modeltest.Label{label("joy", 0.7), label("fear", 0.3)}, 0.7},
	} {
		e, server := classifiedBy(t, row.slug, modeltest.Labels(row.labels...))
		got, result, err := run(t, e, row.input, row.config)
		require.NoError(t, err, row.slug)
		require.Equal(t, row.want, got[row.output], "%s %v", row.slug, row.labels)
		require.Equal(t, eval.Classifier, result.Backend)
		require.Empty(t, result.Version)
		require.Len(t, server.Requests(), 1)
		plan, err := e.Plan(nil)
		require.NoError(t, err)
		require.Equal(t, eval.Plan{Backend: eval.Classifier, Deferred: true}, plan)
	}
}

func TestClassifiersThatFailGiveNoVerdict(t *testing.T) {
	t.Parallel()
	for _, slug := range []string{"toxicity-detector", "profanity-detector", "sexism-detector", "prompt-injection", "tone-detection"} {
		input := `{"text": "a", "prompt": "a"}`
		e, _ := classifiedBy(t, slug, modeltest.Status(http.StatusInternalServerError, "oops"))
		_, got, err := run(t, e, input, ``)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.Empty(t, got.Outputs)
		if slug != "tone-detection" {
			e, _ = classifiedBy(t, slug, modeltest.Labels(modeltest.Label{Label: "neutral", Score: 1}))
			_, _, err = run(t, e, input, ``)
			require.True(t, fault.Is(err, fault.Unusable), "labels that are none of its own")
		}
		e, server := classifiedBy(t, slug)
		_, _, err = run(t, e, `{"text": " ", "prompt": " "}`, ``)
		require.NoError(t, err)
		require.Empty(t, server.Requests(), "an empty text is not sent")
	}
}
