// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// inGerman makes question and answer of a span German.
func inGerman(s ptrace.Span) {
	s.Attributes().PutStr("gen_ai.prompt.0.content", "Wie weit ist der Mond von der Erde entfernt?")
	s.Attributes().PutStr("gen_ai.completion.0.content", "Der Mond ist etwa 384.400 km von der Erde entfernt.")
}

func TestTextsOfOtherLanguagesAreUncertainOrLeftToAJudge(t *testing.T) {
	t.Parallel()
	models, server := scripted(t, modeltest.Content(relevancyAnswer))
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "tone-detection", Backend: "embedded"}, monitor.SetupEvaluator{Slug: "char-count"},
		monitor.SetupEvaluator{Slug: "answer-relevancy", Backend: "embedded"})
	asking := monitor.SetupEvaluator{Slug: "answer-relevancy", Backend: "embedded"}
	require.NoError(t, store.Setups(live).Create(t.Context(), monitor.Setup{
		ID: uuid.NewString(), ExternalID: "two", OrganizationID: "org-1", ProjectID: "project-1", EnvironmentID: env,
		Evaluators: []monitor.SetupEvaluator{asking}, OtherLanguages: monitor.OthersJudge,
		Status: monitor.Completed, Revision: 1, Generation: 1, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}))
	p, tel := startWith(t, live, models, defaults())
	td := stamped(2)
	inGerman(spanAt(td, 0))
	made := judged(t, p, td)
	for i, slug := range []string{"tone-detection", "char-count", "answer-relevancy"} {
		require.Equal(t, slug, made[0][i].Evaluator)
		if slug == "char-count" {
			require.Equal(t, eval.Done, made[0][i].Status)
			continue
		}
		require.Equal(t, eval.Uncertain, made[0][i].Status, slug)
		require.Equal(t, eval.ReasonLanguage, made[0][i].Reason)
		require.NotEmpty(t, made[0][i].Outputs, "a guess")
	}
	for key := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().All() {
		require.False(t, strings.HasPrefix(key, tenant.EvaluationPrefix+"tone-detection"), "a guess is no attribute")
	}
	require.Equal(t, eval.Deferred, made[0][3].Status)
	require.Equal(t, eval.ReasonModel, made[0][3].Reason)
	for _, e := range made[1] {
		require.Empty(t, e.Reason, "English, or too short to tell")
		require.Contains(t, []eval.Status{eval.Done, eval.Uncertain}, e.Status)
	}
	require.Empty(t, server.Requests(), "no span waits for a judge")
	require.EqualValues(t, 1, counts(t, tel)["uncertain/language/tone-detection/embedded"])

	o := newOwed(asking)
	o.setups[0].OtherLanguages = monitor.OthersJudge
	o.add(inGerman, deferredBy("answer-relevancy"))
	o.add(nil, deferredBy("answer-relevancy"))
	o.pass(t, p)
	require.Equal(t, eval.Judge, o.of(0)[0].Backend)
	require.Equal(t, eval.Embedded, o.of(1)[0].Backend, "the judge is for what the evaluator cannot read")
	require.Len(t, server.Requests(), 1)

	o = newOwed(asking)
	o.add(inGerman, deferredBy("answer-relevancy"))
	o.pass(t, p)
	require.Equal(t, eval.Uncertain, o.of(0)[0].Status)
	require.Equal(t, eval.ReasonLanguage, o.of(0)[0].Reason)
	require.Zero(t, o.of(0)[0].Due)
}
