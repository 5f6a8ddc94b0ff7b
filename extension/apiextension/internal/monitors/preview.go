// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"math"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a preview.
const (
	maxSpans    = 10_000
	maxTime     = 10 * time.Second
	someSamples = 5
	maxInput    = 1000 // characters of an input
)

// PreviewAPI tries setups on stored spans.
type PreviewAPI struct {
	Records    Records
	Evaluators *registry.Registry
	// Timeout is how long a request may take.
	Timeout time.Duration
	Now     func() time.Time
}

// Routes returns what is served.
func (a *PreviewAPI) Routes() []rest.Route {
	return []rest.Route{PreviewAutoMonitorSetup.Serve(rest.InEnvironment(a.preview)).Reading()}
}

// previewRequest is a setup that is not made, and the spans to try it on.
type previewRequest struct {
	SetupRequest
	rest.Period
	Limit *rest.Int `json:"limit" doc:"How many sample spans to show." schema:"nullable minimum=1 maximum=50 default=5"`
}

// AmendSchema lets the evaluators be left out.
func (previewRequest) AmendSchema(schema map[string]any) {
	schema["required"] = []string{"from_timestamp_sec"}
	delete(schema["properties"].(map[string]any)["evaluators"].(map[string]any), "minItems")
}

// Preview counts the spans that a setup would match.
type Preview struct {
	Spans      int64              `json:"spans" doc:"How many spans were looked at."`
	Matched    int64              `json:"matched" doc:"How many of them the selector matches."`
	Truncated  bool               `json:"truncated" doc:"Whether spans were left: at most 10,000 that the store cannot tell by itself are looked at, the newest, and not for longer than ten seconds."`
	Evaluators []previewEvaluator `json:"evaluators"`
	Samples    []previewSample    `json:"samples" doc:"Matching spans, newest first."`
}

// previewEvaluator says whether an evaluator could run, and how many samples lack
// which of its inputs.
type previewEvaluator struct {
	EvaluatorType string         `json:"evaluator_type" doc:"The slug."`
	EvaluatorID   string         `json:"evaluator_id,omitempty" doc:"The id, of custom evaluators."`
	Status        string         `json:"status" doc:"Whether it can run: needs_model is one that lacks a model in the configuration." enum:"ready,needs_model,failed"`
	ErrorMessage  string         `json:"error_message,omitempty" doc:"Why it cannot run."`
	Missing       map[string]int `json:"missing" doc:"How many samples lack which required input."`
}

// The states of an evaluator in a preview.
const (
	ready      = "ready"
	needsModel = "needs_model"
	failed     = "failed"
)

// previewSample is a span that a setup would match, with the inputs of evaluators.
type previewSample struct {
	TraceID    string          `json:"trace_id" doc:"The trace."`
	SpanID     string          `json:"span_id" doc:"The span."`
	Timestamp  int64           `json:"timestamp" doc:"Its start, Unix milliseconds."`
	SpanName   string          `json:"span_name" doc:"Its name."`
	Evaluators []previewInputs `json:"evaluators"`
}

// previewInputs are the inputs as one evaluator would get them.
type previewInputs struct {
	EvaluatorType string            `json:"evaluator_type" doc:"The slug."`
	Sampled       bool              `json:"sampled" doc:"Whether the sample rate takes the trace of the span."`
	Inputs        map[string]string `json:"inputs" doc:"The inputs that the span has, each cut to 1,000 characters."`
	Missing       []string          `json:"missing" doc:"The required inputs that it lacks."`
	Truncated     bool              `json:"truncated" doc:"Whether an input was cut in this answer."`
}

// preview tries a setup on stored spans, newest first, and stores nothing.
func (a *PreviewAPI) preview(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want previewRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	s, err := want.Unnamed(func(name string) (*eval.Evaluator, error) { return a.Evaluators.Find(r.Context(), env.ID, name) })
	if err != nil {
		return rest.Response{}, err
	}
	p := &trial{api: a, ctx: r.Context(), env: env, limit: someSamples, until: a.Now().Add(min(maxTime, a.Timeout/2))}
	if p.from, p.to, err = want.Bounds(math.MaxInt64); err != nil {
		return rest.Response{}, err
	}
	if want.Limit != nil {
		p.limit = int(*want.Limit)
	}
	p.monitor = monitor.Compile(&s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return a.Evaluators.Bound(r.Context(), env.ID, w.Slug, w.CustomID)
	})
	if err := p.look(); err != nil {
		return rest.Response{}, err
	}
	shown, err := p.show()
	return rest.OK(shown), err
}
