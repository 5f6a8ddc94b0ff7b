// SPDX-License-Identifier: Apache-2.0

package setups

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

// setupStatusAnswer tells what became of the spans since the setup was made, of
// those that are within retention.
type setupStatusAnswer struct {
	ID         string         `json:"id"`
	ExternalID string         `json:"external_id"`
	Status     monitor.Status `json:"status"`
	Seen       int64          `json:"seen"`    // spans of the environment
	Matched    int64          `json:"matched"` // spans
	Owed       int64          `json:"owed"`    // evaluations
	Cost       float64        `json:"cost"`
	SpentToday float64        `json:"spent_today"`
	boundsAnswer
	Dead       *deadAnswer       `json:"dead,omitempty"`
	Evaluators []evaluatorStatus `json:"evaluators"`
}

// evaluatorStatus counts the evaluations of one evaluator.
type evaluatorStatus struct {
	EvaluatorType string         `json:"evaluator_type"`
	EvaluatorID   string         `json:"evaluator_id,omitempty"`
	Status        monitor.Status `json:"status"`
	ErrorMessage  string         `json:"error_message,omitempty"`

	Seen       int64            `json:"seen"`
	Matched    int64            `json:"matched"`
	SampledOut int64            `json:"sampled_out"`
	Skipped    map[string]int64 `json:"skipped"` // by reason
	Deferred   int64            `json:"deferred"`
	Done       int64            `json:"done"`
	Failed     int64            `json:"failed"`
	Cost       float64          `json:"cost"`
	LastError  string           `json:"last_error,omitempty"`
	LastRun    string           `json:"last_run,omitempty"`

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

func showStatus(s *monitor.Setup, seen int64, counts []store.EvaluationCount) *setupStatusAnswer {
	shown := &setupStatusAnswer{
		ID: s.ID, ExternalID: s.ExternalID, Status: s.Status, Seen: seen, Evaluators: make([]evaluatorStatus, len(s.Evaluators)),
		boundsAnswer: showBounds(s),
	}
	for i := range s.Evaluators {
		w := &s.Evaluators[i]
		e := &shown.Evaluators[i]
		*e = evaluatorStatus{
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

func (e *evaluatorStatus) count(t *store.EvaluationCount) {
	e.Matched += t.Count
	e.Cost += t.Cost
	switch t.Status {
	case eval.Done:
		e.Done += t.Count
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
func (e *evaluatorStatus) heard(t *store.EvaluationCount) {
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
