// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

func TestOtherLanguagesAreMetAsTheSetupSays(t *testing.T) {
	t.Parallel()
	german := chat(map[string]string{
		"gen_ai.prompt.0.content": "Wann wurde das Museum in Bonn eröffnet?", "gen_ai.completion.0.content": "Das Museum wurde im Jahr 1987 eröffnet.",
	})
	for _, row := range []struct {
		slug, backend           string
		others                  monitor.OtherLanguages
		hasJudge, judged, asked bool
	}{
		{slug: "answer-relevancy"},
		{slug: "answer-relevancy", others: monitor.OthersJudge},
		{slug: "answer-relevancy", others: monitor.OthersUse, judged: true},
		{slug: "answer-relevancy", backend: "embedded", others: monitor.OthersUse, hasJudge: true, judged: true},
		{slug: "answer-relevancy", backend: "embedded", others: monitor.OthersJudge, hasJudge: true, asked: true},
		{slug: "answer-relevancy", backend: "embedded", others: monitor.OthersSkip, hasJudge: true},
		{slug: "answer-relevancy", backend: "embedded", hasJudge: true},
		{slug: "uncertainty-detector", others: monitor.OthersJudge, hasJudge: true},
		{slug: "uncertainty-detector", others: monitor.OthersUse, judged: true},
		{slug: "char-count", judged: true},
	} {
		models, server := modeltest.Models(t, modeltest.Content(`{"statements": [], "noncommittal": true}`))
		find := func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
			e, _ := evaluators.Catalog().Get(w.Slug)
			if row.hasJudge {
				e = e.With(eval.Models{Judge: models.Judge})
			}
			return e, nil
		}
		setup := setupOf(monitor.SetupEvaluator{Slug: row.slug, Backend: row.backend})
		setup.OtherLanguages = row.others
		r := monitor.Compile(setup, find).Bindings[0]
		require.NoError(t, r.Err)
		require.False(t, r.Plan.Deferred)
		get := func(f *eval.Field) (string, bool) { return r.Input(german, f) }
		got, err := r.JudgeInputs(t.Context(), get)
		require.NoError(t, err)
		require.Equal(t, row.judged, got.Reason != eval.ReasonLanguage, "%+v", row)
		require.Equal(t, row.asked, r.AsksJudge(&got), "%+v", row)
		require.Empty(t, server.Requests(), "no judge is asked in passing")
		if row.asked {
			got, err := r.AskJudge(t.Context(), get)
			require.NoError(t, err)
			require.Equal(t, eval.Judge, got.Backend)
			require.Len(t, server.Requests(), 1)
		}
	}
}

func TestRunsThatMeetOtherLanguagesDifferentlyAreNotTheSame(t *testing.T) {
	t.Parallel()
	setups := []monitor.Setup{*setupOf(monitor.SetupEvaluator{Slug: "tone-detection"}), *setupOf(monitor.SetupEvaluator{Slug: "tone-detection"})}
	setups[1].OtherLanguages = monitor.OthersUse
	all := monitor.CompileAll(setups, prebuilt).List
	require.False(t, all[0].Bindings[0].Same(all[1].Bindings[0]))
}

func TestOtherLanguagesAreOneOfThree(t *testing.T) {
	t.Parallel()
	for _, known := range []monitor.OtherLanguages{"", monitor.OthersJudge, monitor.OthersSkip, monitor.OthersUse} {
		require.NoError(t, known.Validate("other_languages"))
	}
	require.EqualError(t, monitor.OtherLanguages("ask").Validate("other_languages"), "other_languages must be one of judge, skip, use")
}
