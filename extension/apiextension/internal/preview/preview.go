// SPDX-License-Identifier: Apache-2.0

// Package preview tries auto monitor setups on stored spans.
package preview

import (
	"math"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/setups"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a preview.
const (
	maxSpans    = 10_000
	maxTime     = 10 * time.Second
	someSamples = 5
	maxText     = 1000 // characters of an input
)

// Records is what a preview asks of the span store, under its contract.
type Records interface {
	store.Searcher
	store.SpanReader
}

// API serves previews.
type API struct {
	Records    Records
	Evaluators *registry.Registry
	// Timeout is how long a request may take.
	Timeout time.Duration
	Now     func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{rest.Environment(http.MethodPost, "/v2/auto-monitor-setups/preview", a.preview).Reading()}
}

// request is a setup that is not made, and the spans to try it on.
type request struct {
	setups.Request
	rest.Period
	Limit *rest.Int `json:"limit"`
}

type response struct {
	Spans      int64          `json:"spans"`
	Matched    int64          `json:"matched"`
	Truncated  bool           `json:"truncated"`
	Evaluators []runAnswer    `json:"evaluators"`
	Samples    []sampleAnswer `json:"samples"`
}

// runAnswer says whether an evaluator could run, and how many samples lack
// which of its inputs.
type runAnswer struct {
	EvaluatorType string         `json:"evaluator_type"`
	EvaluatorID   string         `json:"evaluator_id,omitempty"`
	Status        string         `json:"status"`
	ErrorMessage  string         `json:"error_message,omitempty"`
	Missing       map[string]int `json:"missing"`
}

// The states of an evaluator in a preview.
const (
	ready      = "ready"
	needsModel = "needs_model"
	failed     = "failed"
)

type sampleAnswer struct {
	TraceID    string         `json:"trace_id"`
	SpanID     string         `json:"span_id"`
	Timestamp  int64          `json:"timestamp"`
	SpanName   string         `json:"span_name"`
	Evaluators []inputsAnswer `json:"evaluators"`
}

// inputsAnswer are the inputs as one evaluator would get them.
type inputsAnswer struct {
	EvaluatorType string            `json:"evaluator_type"`
	Sampled       bool              `json:"sampled"`
	Inputs        map[string]string `json:"inputs"`
	Missing       []string          `json:"missing"`
	Truncated     bool              `json:"truncated"`
}

// preview tries a setup on stored spans, newest first, and stores nothing.
func (a *API) preview(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want request
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
