// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"math"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// SetupStatus tells what became of the spans since the setup was made, of
// those that are within retention.
type SetupStatus struct {
	ID         string         `json:"id" doc:"The setup."`
	ExternalID string         `json:"external_id" doc:"Its name."`
	Status     monitor.Status `json:"status" doc:"How far it got." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	Seen       int64          `json:"seen" doc:"Spans of the environment that started since the setup was created, or at least those that matched."`
	Matched    int64          `json:"matched" doc:"Spans that matched."`
	Owed       int64          `json:"owed" doc:"Pending evaluations."`
	Cost       float64        `json:"cost" doc:"What models took, in US dollars."`
	SpentToday float64        `json:"spent_today" doc:"What models took since midnight (UTC), in US dollars."`
	boundsAnswer
	Dead       *DeadSetup        `json:"dead,omitempty" doc:"There where nothing matched while 1,000 spans or more of the environment came."`
	Evaluators []EvaluatorCounts `json:"evaluators"`
}

// EvaluatorCounts counts the evaluations of one evaluator.
type EvaluatorCounts struct {
	EvaluatorType string         `json:"evaluator_type" doc:"The slug."`
	EvaluatorID   string         `json:"evaluator_id,omitempty" doc:"The id, of custom evaluators."`
	Status        monitor.Status `json:"status" doc:"How far it got." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	ErrorMessage  string         `json:"error_message,omitempty" doc:"Why it cannot run."`

	Seen       int64            `json:"seen" doc:"Spans of the environment that started since the setup was created, or at least those that matched."`
	Matched    int64            `json:"matched" doc:"Spans that matched, in backfills too."`
	SampledOut int64            `json:"sampled_out" doc:"Matched spans that the sample rate left out."`
	Skipped    map[string]int64 `json:"skipped" doc:"Matched spans that are not judged for another reason, by that reason."`
	Deferred   int64            `json:"deferred" doc:"Pending evaluations."`
	Done       int64            `json:"done" doc:"Evaluations that are done."`
	Uncertain  int64            `json:"uncertain" doc:"Evaluations that are uncertain."`
	Failed     int64            `json:"failed" doc:"Evaluations that were given up."`
	Cost       float64          `json:"cost" doc:"What models took, in US dollars."`
	LastError  string           `json:"last_error,omitempty" doc:"What went wrong last."`
	LastRun    string           `json:"last_run,omitempty" doc:"When the last evaluation ended." schema:"format=date-time"`

	lastRun, lastError int64
}

// status answers how far a setup got and what became of its spans.
func (a *API) status(r *http.Request, env tenant.Environment) (rest.Response, error) {
	s, err := a.find(r, env)
	if err != nil {
		return rest.Response{}, err
	}
	seen, err := a.Records.Search(r.Context(), env, query.Query{
		From: s.CreatedAt.UnixNano(), To: math.MaxInt64, Total: true, Order: query.Order{By: query.SortTimestamp},
	})
	if err != nil {
		return rest.Response{}, err
	}
	counts, err := store.ReadEvaluationCounts(r.Context(), a.Records, env, s.ID)
	if err != nil {
		return rest.Response{}, err
	}
	spent, err := store.ReadSpent(r.Context(), a.Records, env.ID, s.ID, store.Midnight(a.Now()))
	if err != nil {
		return rest.Response{}, err
	}
	shown := showStatus(&s, seen.Total, counts)
	shown.SpentToday = spent
	if shown.Dead, err = a.dead(r.Context(), env, &s, counts); err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}

func showStatus(s *monitor.Setup, seen int64, counts []store.EvaluationCount) *SetupStatus {
	shown := &SetupStatus{
		ID: s.ID, ExternalID: s.ExternalID, Status: s.Status, Seen: seen, Evaluators: make([]EvaluatorCounts, len(s.Evaluators)),
		boundsAnswer: showBounds(s),
	}
	for i := range s.Evaluators {
		w := &s.Evaluators[i]
		e := &shown.Evaluators[i]
		*e = EvaluatorCounts{
			EvaluatorType: w.Slug, EvaluatorID: w.CustomID, Status: w.Status, ErrorMessage: w.ErrorMessage,
			Seen: seen, Skipped: map[string]int64{},
		}
		for j := range counts {
			if counts[j].Evaluator == w.Slug {
				e.count(&counts[j])
			}
		}
		// Of those that a backfill matched, some came before the setup.
		e.Seen = max(e.Seen, e.Matched)
		e.LastRun = rest.NanosIfAny(e.lastRun)
		shown.Matched = max(shown.Matched, e.Matched)
		shown.Seen = max(shown.Seen, e.Seen)
		shown.Owed += e.Deferred
		shown.Cost += e.Cost
	}
	return shown
}

func (e *EvaluatorCounts) count(t *store.EvaluationCount) {
	e.Matched += t.Count
	e.Cost += t.Cost
	switch t.Status {
	case eval.Done:
		e.Done += t.Count
		e.lastRun = max(e.lastRun, t.Last)
	case eval.Uncertain:
		e.Uncertain += t.Count
		e.lastRun = max(e.lastRun, t.Last)
	case eval.Failed:
		e.Failed += t.Count
		e.lastRun = max(e.lastRun, t.Last)
		e.heard(t)
	case eval.Deferred:
		e.Deferred += t.Count
		if tried(t.LastError) {
			e.heard(t)
		}
	case eval.Skipped:
		if t.Reason == eval.ReasonSampledOut {
			e.SampledOut += t.Count
		} else {
			e.Skipped[t.Reason] += t.Count
		}
	}
}

// heard keeps the latest error.
func (e *EvaluatorCounts) heard(t *store.EvaluationCount) {
	if t.Last >= e.lastError {
		e.lastError, e.LastError = t.Last, t.LastError
	}
}

// tried reports whether the reason of a deferred evaluation is that of a try
// that failed.
func tried(reason string) bool {
	switch reason {
	case "", eval.ReasonModel, eval.ReasonOverBudget, eval.ReasonTrace, eval.ReasonCost:
		return false
	}
	return true
}
