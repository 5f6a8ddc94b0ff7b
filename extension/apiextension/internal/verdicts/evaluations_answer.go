// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// EvaluationRows is one page.
type EvaluationRows struct {
	Evaluations []EvaluationRow `json:"evaluations" doc:"The evaluations, those of the spans that started last first; of one span by setup and evaluator." schema:"maxItems=1000"`
	Next        string          `json:"next_cursor" doc:"The cursor of the next page, empty on the last. A page with fewer evaluations than limit may have one."`
}

// EvaluationRow is an evaluation in short, with what tells its span.
type EvaluationRow struct {
	TraceID  string `json:"trace_id" doc:"The trace."`
	SpanID   string `json:"span_id" doc:"The span."`
	Start    int64  `json:"start_ns,string" doc:"When the span started, Unix nanoseconds." schema:"types=string" pattern:"^-?[0-9]+$"`
	SpanName string `json:"span_name" doc:"The name of the span."`
	SpanType string `json:"span_type" doc:"What the span is." enum:",llm,embedding,tool,agent,workflow,retrieval,guardrail,other"`
	Service  string `json:"service" doc:"The service that sent it."`
	Model    string `json:"model" doc:"The model that answered, or else the one that was asked; empty where there is none."`

	ExternalID string `json:"external_id,omitempty" doc:"The name of the setup, while it is there."`
	spans.Verdict
	Source   eval.EvaluationSource `json:"source" doc:"Who judged: touchstone; sdk, the application or another product that sent its verdict; human, a person. Empty where that is not known." enum:",touchstone,sdk,human"`
	Attempts int                   `json:"attempts" doc:"How often it was tried after it was deferred."`
	Revision int64                 `json:"revision" doc:"Which judgement of the span by this setup and evaluator this is: 1 at first, one more each time it takes the place of a verdict or of a failure. The highest counts." schema:"minimum=1"`
	Time     string                `json:"time" doc:"When it ended or, while it is deferred, when it was deferred first." schema:"format=date-time"`
	Due      string                `json:"due,omitempty" doc:"When it is to be tried, while it is deferred." schema:"format=date-time"`
}

func showRows(list []found, setups []monitor.Setup) EvaluationRows {
	names := spans.ExternalIDs(setups)
	shown := EvaluationRows{Evaluations: make([]EvaluationRow, len(list))}
	for i := range list {
		s, e := list[i].span, &list[i].Evaluation
		row := &shown.Evaluations[i]
		*row = EvaluationRow{
			TraceID: s.TraceID.String(), SpanID: s.SpanID.String(), Start: s.Start, SpanName: s.Name, SpanType: s.Type, Service: s.Service,
			Model: cmp.Or(s.ResponseModel, s.RequestModel), ExternalID: names[e.SetupID], Verdict: spans.VerdictOf(e),
			Attempts: e.Attempts, Revision: e.Revision + 1, Time: rest.Time(time.Unix(0, e.Time)), Due: rest.NanosIfAny(e.Due),
		}
		row.Source, _ = spans.SourceOf(e)
	}
	return shown
}

// sorted returns the evaluations of a span in the order of pages.
func sorted(list []eval.Evaluation) []eval.Evaluation {
	return slices.SortedFunc(slices.Values(list), func(a, b eval.Evaluation) int {
		return compare(&a, &query.Position{Setup: b.SetupID, Evaluator: b.Evaluator})
	})
}

// compare compares the place of an evaluation within its span with another.
func compare(e *eval.Evaluation, at *query.Position) int {
	return cmp.Or(strings.Compare(e.SetupID, at.Setup), strings.Compare(e.Evaluator, at.Evaluator))
}
