// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"math"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/setups"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a preview.
const (
	previewSpans    = 10_000
	previewTime     = 10 * time.Second
	previewSamples  = 5
	previewText     = 1000 // characters of an input
	previewSiblings = 1000 // other spans of a sample's trace
)

// previewRequest is a setup that is not made, and the spans to try it on.
type previewRequest struct {
	setups.Request
	rest.Period
	Limit *rest.Int `json:"limit"`
}

type previewAnswer struct {
	Spans      int64             `json:"spans"`
	Matched    int64             `json:"matched"`
	Truncated  bool              `json:"truncated"`
	Evaluators []previewedRun    `json:"evaluators"`
	Samples    []previewedSample `json:"samples"`
}

// previewedRun says whether an evaluator could run, and how many samples lack
// which of its inputs.
type previewedRun struct {
	EvaluatorType string         `json:"evaluator_type"`
	EvaluatorID   string         `json:"evaluator_id,omitempty"`
	Status        string         `json:"status"`
	ErrorMessage  string         `json:"error_message,omitempty"`
	Missing       map[string]int `json:"missing"`
}

// The states of an evaluator in a preview.
const (
	previewReady      = "ready"
	previewNeedsModel = "needs_model"
	previewFailed     = "failed"
)

type previewedSample struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Timestamp  int64             `json:"timestamp"`
	SpanName   string            `json:"span_name"`
	Evaluators []previewedInputs `json:"evaluators"`
}

// previewedInputs are the inputs as one evaluator would get them.
type previewedInputs struct {
	EvaluatorType string            `json:"evaluator_type"`
	Sampled       bool              `json:"sampled"`
	Inputs        map[string]string `json:"inputs"`
	Missing       []string          `json:"missing"`
	Truncated     bool              `json:"truncated"`
}

// previewSetup tries a setup on stored spans, newest first, and stores nothing.
func (a *api) previewSetup(r *http.Request, env tenant.Environment) (rest.Answer, error) {
	var want previewRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Answer{}, err
	}
	s, err := want.Unnamed(func(name string) (*eval.Evaluator, error) { return a.evaluators.Find(r.Context(), env.ID, name) })
	if err != nil {
		return rest.Answer{}, err
	}
	p := &preview{api: a, ctx: r.Context(), env: env, limit: previewSamples, until: a.now().Add(min(previewTime, a.timeout/2))}
	if p.from, p.to, err = want.Bounds(math.MaxInt64); err != nil {
		return rest.Answer{}, err
	}
	if want.Limit != nil {
		p.limit = int(*want.Limit)
	}
	p.monitor = monitor.Compile(&s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return a.evaluators.Bound(r.Context(), env.ID, w.Slug, w.CustomID)
	})
	if err := p.look(); err != nil {
		return rest.Answer{}, err
	}
	shown, err := p.show()
	return rest.OK(shown), err
}
