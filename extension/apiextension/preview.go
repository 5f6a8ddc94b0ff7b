// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of a preview.
const (
	previewSpans     = 10_000
	previewTime      = 10 * time.Second
	previewSamples   = 5
	previewMaxSample = 50
	previewText      = 1000 // characters of an input
	previewSiblings  = 1000 // other spans of a sample's trace
)

// previewRequest is a wish that is not to come true, and the spans to try it on.
type previewRequest struct {
	setupRequest
	periodRequest
	Limit json.RawMessage `json:"limit"`
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

// previewSetup tries a wish on stored spans, newest first, and stores nothing.
func (a *api) previewSetup(r *http.Request, env tenant.Environment) (answer, error) {
	var want previewRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	find := a.finder(r.Context(), env)
	s, err := want.preview(find)
	if err != nil {
		return answer{}, err
	}
	p := &preview{api: a, ctx: r.Context(), env: env, until: a.now().Add(min(previewTime, a.timeout/2))}
	if p.from, p.to, err = want.period(math.MaxInt64); err != nil {
		return answer{}, err
	}
	if p.limit, err = parseSamples(want.Limit); err != nil {
		return answer{}, err
	}
	p.monitor = monitor.Compile(&s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		name := w.Slug
		if w.CustomID != "" {
			name = w.CustomID
		}
		e, found, err := find(name)
		if err == nil && !found {
			err = fault.New(fault.Invalid, "unknown evaluator slug %.100q", name)
		}
		return e.Evaluator, err
	})
	if err := p.look(); err != nil {
		return answer{}, err
	}
	shown, err := p.show()
	return answer{status: http.StatusOK, body: shown}, err
}

// preview gives the wish; it may do without a name.
func (q *previewRequest) preview(find findEvaluator) (monitor.Setup, error) {
	if q.ExternalID == nil && q.EntityType == nil && q.EntityValue == nil {
		var s monitor.Setup
		return s, q.wish(&s, nil, find)
	}
	return q.setup(find)
}

func parseSamples(raw json.RawMessage) (int, error) {
	if absent(raw) {
		return previewSamples, nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || n < 1 || n > previewMaxSample {
		return 0, fault.New(fault.Invalid, "limit must be a whole number from 1 to %d", previewMaxSample)
	}
	return int(n), nil
}
