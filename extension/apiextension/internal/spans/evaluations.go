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

// Evaluations are those of a span.
type Evaluations struct {
	Evaluations []Evaluation `json:"evaluations" doc:"In the order they were made."`
}

// Evaluation is the full record of one evaluation.
type Evaluation struct {
	SetupID    string                `json:"setup_id" doc:"The setup. Of verdicts that others gave the source and who gave it, as in human:jane."`
	ExternalID string                `json:"external_id,omitempty" doc:"Its name, while it is there."`
	Evaluator  string                `json:"evaluator" doc:"The slug. Of verdicts that others gave the source and the name, as in sdk:Correctness."`
	Status     eval.Status           `json:"status" doc:"How far it got." enum:"done,uncertain,deferred,skipped,failed"`
	Reason     string                `json:"reason" doc:"Why, in one sentence; empty where there is nothing to say. Of skipped ones missing_input, sampled_out, deleted, own_traffic or limit; of deferred ones model, over_budget, trace, cost or what went wrong; of uncertain ones language where the language of the text is not known."`
	Score      *float64              `json:"score,omitempty" doc:"The number that the threshold is compared with; missing where no number decides."`
	Evidence   []eval.Evidence       `json:"evidence,omitempty" doc:"The pieces of the inputs that decided, by their bytes; missing where there are none."`
	Outputs    eval.Result           `json:"outputs"`
	Backend    eval.Backend          `json:"backend" doc:"What computed the verdict or, while it is deferred, is to compute it; else empty." enum:",deterministic,embedded,judge,embedding,classifier"`
	Version    string                `json:"version" doc:"The version of the judge's prompts or of the custom evaluator."`
	Model      string                `json:"model" doc:"The model that answered, as its server names it; empty where none was asked."`
	Cached     bool                  `json:"cached" doc:"Whether every answer of the model was there already."`
	Generation int64                 `json:"generation,omitempty" doc:"Which version of the setup this is of: 1 at first, one more with each change by its user." schema:"minimum=1"`
	Revision   int64                 `json:"revision" doc:"Which judgement of the span by this setup and evaluator this is: 1 at first, one more each time it takes the place of a verdict or of a failure. The highest counts." schema:"minimum=1"`
	Inclusion  float64               `json:"inclusion_probability,omitempty" doc:"How likely it was that a span like this one came to be judged: what samplers kept before, as the threshold th of the trace state says, times the sample rate of the setup." schema:"maximum=1 exclusiveMinimum=0"`
	Source     eval.EvaluationSource `json:"source" doc:"Who judged: touchstone; sdk, the application or another product that sent its verdict; human, a person. Empty where that is not known." enum:",touchstone,sdk,human"`
	Origin     string                `json:"origin,omitempty" doc:"sidecar where a sidecar of the application made it and this server checked it; missing where this server made it." enum:"sidecar"`
	Truncated  bool                  `json:"truncated" doc:"Whether an input was cut."`
	Attempts   int                   `json:"attempts" doc:"How often it was tried after it was deferred."`
	Usage      rest.ModelUsage       `json:"usage" doc:"What models took in all tries."`
	DurationMS float64               `json:"duration_ms" doc:"How long the last try took."`
	Time       string                `json:"time" doc:"When it ended or, while it is deferred, when it was deferred first." schema:"format=date-time"`
	Due        string                `json:"due,omitempty" doc:"When it is to be tried, while it is deferred." schema:"format=date-time"`
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
	shown := Evaluations{Evaluations: make([]Evaluation, len(list))}
	for i := range list {
		shown.Evaluations[i] = showEvaluation(&list[i], names)
	}
	return rest.OK(shown), nil
}

func showEvaluation(e *eval.Evaluation, names map[string]string) Evaluation {
	shown := Evaluation{
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
