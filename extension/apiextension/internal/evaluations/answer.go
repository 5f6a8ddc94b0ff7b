// SPDX-License-Identifier: Apache-2.0

package evaluations

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

// answer is one page.
type answer struct {
	Evaluations []rowAnswer `json:"evaluations"`
	Next        string      `json:"next_cursor"`
}

// rowAnswer is an evaluation in short, with what tells its span.
type rowAnswer struct {
	TraceID  string `json:"trace_id"`
	SpanID   string `json:"span_id"`
	Start    int64  `json:"start_ns,string"`
	SpanName string `json:"span_name"`
	SpanType string `json:"span_type"`
	Service  string `json:"service"`
	Model    string `json:"model"`

	ExternalID string `json:"external_id,omitempty"` // while the setup is there
	spans.Verdict
	Source   eval.EvaluationSource `json:"source"`
	Attempts int                   `json:"attempts"`
	Revision int64                 `json:"revision"` // from 1 on
	Time     string                `json:"time"`
	Due      string                `json:"due,omitempty"`
}

func show(list []found, setups []monitor.Setup) answer {
	names := spans.ExternalIDs(setups)
	shown := answer{Evaluations: make([]rowAnswer, len(list))}
	for i := range list {
		s, e := list[i].span, &list[i].Evaluation
		row := &shown.Evaluations[i]
		*row = rowAnswer{
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
