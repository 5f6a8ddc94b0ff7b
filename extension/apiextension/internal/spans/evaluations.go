// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type evaluationsAnswer struct {
	Evaluations []evaluationAnswer `json:"evaluations"`
}

// evaluationAnswer is the full record of one evaluation.
type evaluationAnswer struct {
	SetupID    string                `json:"setup_id"`
	ExternalID string                `json:"external_id,omitempty"` // while the setup is there
	Evaluator  string                `json:"evaluator"`
	Status     eval.Status           `json:"status"`
	Reason     string                `json:"reason"`
	Score      *float64              `json:"score,omitempty"`
	Evidence   []eval.Evidence       `json:"evidence,omitempty"`
	Outputs    eval.Result           `json:"outputs"`
	Backend    eval.Backend          `json:"backend"`
	Version    string                `json:"version"`
	Model      string                `json:"model"`
	Cached     bool                  `json:"cached"`
	Generation int64                 `json:"generation,omitempty"`
	Revision   int64                 `json:"revision"` // from 1 on
	Inclusion  float64               `json:"inclusion_probability,omitempty"`
	Source     eval.EvaluationSource `json:"source"`
	Origin     string                `json:"origin,omitempty"`
	Truncated  bool                  `json:"truncated"`
	Attempts   int                   `json:"attempts"`
	Usage      rest.Usage            `json:"usage"`
	DurationMS float64               `json:"duration_ms"`
	Time       string                `json:"time"`
	Due        string                `json:"due,omitempty"`
}

// evaluations answers every evaluation of one span, in the order they were made,
// with ?revisions=all those, too, that others took the place of.
func (a *API) evaluations(r *http.Request, env tenant.Environment) (rest.Response, error) {
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	which := store.Latest
	switch r.URL.Query().Get("revisions") {
	case "":
	case "all":
		which = store.AllRevisions
	default:
		return rest.Response{}, fault.New(fault.Invalid, "revisions must be all, or absent")
	}
	at := []store.Location{{Environment: env.ID, Span: key}}
	found, err := a.Records.Evaluations(r.Context(), at, time.Now().Add(-env.Retention).UnixNano(), which)
	switch {
	case err != nil:
		return rest.Response{}, err
	case len(found) == 0:
		return rest.Response{}, fault.New(fault.NotFound, "span not found")
	}
	list := found[len(found)-1].Evaluations // of several of the same ids the one that started last
	setups, err := a.Setups.List(r.Context(), env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	names := ExternalIDs(setups)
	shown := evaluationsAnswer{Evaluations: make([]evaluationAnswer, len(list))}
	for i := range list {
		shown.Evaluations[i] = showEvaluation(&list[i], names)
	}
	return rest.OK(shown), nil
}

func showEvaluation(e *eval.Evaluation, names map[string]string) evaluationAnswer {
	shown := evaluationAnswer{
		SetupID: e.SetupID, ExternalID: names[e.SetupID], Evaluator: e.Evaluator,
		Status: e.Status, Reason: e.Why(), Score: e.Grounds.Score, Evidence: e.Grounds.Evidence, Outputs: eval.Result{Outputs: e.Outputs}, Backend: e.Backend,
		Version: e.Version, Model: e.Model, Cached: e.Cached, Generation: e.Generation, Revision: e.Revision + 1, Inclusion: e.Probability,
		Truncated: e.Truncated, Attempts: e.Attempts,
		Usage:      rest.UsageOf(e.Usage),
		DurationMS: float64(e.Duration) / float64(time.Millisecond),
		Time:       rest.Time(time.Unix(0, e.Time)),
		Due:        rest.NanosIfAny(e.Due),
	}
	shown.Source, shown.Origin = SourceOf(e)
	return shown
}

// ExternalIDs returns the external ids of setups by their ids.
func ExternalIDs(setups []monitor.Setup) map[string]string {
	names := make(map[string]string, len(setups))
	for i := range setups {
		names[setups[i].ID] = setups[i].ExternalID
	}
	return names
}

// SourceOf returns who made an evaluation, and where, "" for here.
func SourceOf(e *eval.Evaluation) (source eval.EvaluationSource, origin string) {
	if e.Source == eval.FromSidecar {
		return eval.FromTouchstone, "sidecar"
	}
	return e.Source, ""
}
