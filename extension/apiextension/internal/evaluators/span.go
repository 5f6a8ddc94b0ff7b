// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface{ store.SpanReader }

// ExecuteSpanRequest is a span to judge, and how.
type ExecuteSpanRequest struct {
	TraceID string                          `json:"trace_id" doc:"The trace of the span." schema:"required" pattern:"^[0-9a-fA-F]{32}$" must:"32 hexadecimal digits"`
	SpanID  string                          `json:"span_id" doc:"The span." schema:"required" pattern:"^[0-9a-fA-F]{16}$" must:"16 hexadecimal digits"`
	Config  json.RawMessage                 `json:"config" doc:"The evaluator's configuration, as execute takes it." schema:"types=object,null"`
	Inputs  map[string]monitors.InputSource `json:"input_mapping" doc:"Where the span has the inputs, by their names, as in setups; the others are where they are by default." schema:"nullable maxProperties=50" items:"must:\"an object with source and key, or a string\""`
}

// ExecutedSpan is what came of it.
type ExecutedSpan struct {
	TraceID    string            `json:"trace_id" doc:"The trace."`
	SpanID     string            `json:"span_id" doc:"The span."`
	Inputs     map[string]string `json:"inputs" doc:"The inputs as they were taken from the span or the rest of its trace, up to 1 MiB each."`
	Missing    []string          `json:"missing" doc:"Required inputs that are not there."`
	Reason     string            `json:"reason" doc:"Why there is no result: missing_input or language; empty where there is one." enum:",missing_input,language"`
	Result     *eval.Result      `json:"result" doc:"The verdict; null where there is none." schema:"nullable"`
	Good       *bool             `json:"good" doc:"Whether it speaks for the span or against it; null where it does neither." schema:"nullable"`
	Backend    eval.Backend      `json:"backend" doc:"What computed it." enum:",deterministic,embedded,judge,embedding,classifier"`
	Version    string            `json:"version" doc:"The version of the judge's prompts or of the custom evaluator."`
	Model      string            `json:"model" doc:"The model that answered, empty where none was asked."`
	Cached     bool              `json:"cached" doc:"Whether every answer of the model was there already."`
	Language   string            `json:"language,omitempty" doc:"The language of the text, where the evaluator knows some only and could tell it."`
	Truncated  bool              `json:"truncated" doc:"Whether an input was cut before it was judged."`
	Usage      rest.ModelUsage   `json:"usage" doc:"What models took in all tries."`
	DurationMS float64           `json:"duration_ms" doc:"How long judging took, milliseconds." schema:"minimum=0"`
}

// executeSpan judges a stored span as a setup with this evaluator would, and
// stores nothing.
func (a *ExecutionsAPI) executeSpan(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	var want ExecuteSpanRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	leave, err := a.atOnce.enter(env.ID, len(want.Config))
	if err != nil {
		return rest.Response{}, err
	}
	defer leave()
	e, record := a.paid(r.Context(), env, e)
	defer record()
	run, err := want.bind(e)
	if err != nil {
		return rest.Response{}, err
	}
	source, err := a.source(r.Context(), env, &want, run)
	if err != nil {
		return rest.Response{}, err
	}
	shown := ExecutedSpan{TraceID: strings.ToLower(want.TraceID), SpanID: strings.ToLower(want.SpanID), Inputs: map[string]string{}, Missing: []string{}}
	for _, in := range run.Inputs(source) {
		switch {
		case in.Found:
			shown.Inputs[in.Name], _ = eval.CutText(in.Text)
		case in.Required:
			shown.Missing = append(shown.Missing, in.Name)
		}
	}
	if len(shown.Missing) > 0 {
		shown.Reason = eval.ReasonMissingInput
		return rest.OK(shown), nil
	}
	if run.Err != nil {
		return rest.Response{}, run.Err
	}
	begun := time.Now()
	result, err := judgeSpan(tenant.WithEnvironment(r.Context(), env.ID), run, source)
	shown.DurationMS = milliseconds(time.Since(begun))
	return rest.OK(&shown), shown.add(&result, err)
}

// bind returns the evaluator bound to its configuration and inputs.
func (q *ExecuteSpanRequest) bind(e *eval.Evaluator) (*monitor.Binding, error) {
	w := monitor.SetupEvaluator{Slug: e.Slug}
	if string(q.Config) != "null" {
		w.Config = q.Config
	}
	if len(q.Inputs) > 0 {
		w.Inputs = make(map[string]monitor.InputSource, len(q.Inputs))
		for name, source := range q.Inputs {
			w.Inputs[name] = monitor.InputSource(source)
		}
	}
	if err := w.Check("", e); err != nil {
		return nil, fault.Wrap(fault.KindOf(err), err, "%s", strings.TrimPrefix(fault.Message(err), "."))
	}
	s := &monitor.Setup{Evaluators: []monitor.SetupEvaluator{w}}
	run := monitor.Compile(s, func(*monitor.SetupEvaluator) (*eval.Evaluator, error) { return e, nil }).Bindings[0]
	if fault.Is(run.Err, fault.Invalid) {
		return nil, run.Err
	}
	return run, nil
}

// source returns the span, with the rest of its trace if an input may be found there.
func (a *ExecutionsAPI) source(ctx context.Context, env tenant.Environment, q *ExecuteSpanRequest, run *monitor.Binding) (monitor.SpanSource, error) {
	var key span.Key
	if err := rest.ReadID("trace_id", q.TraceID, key.TraceID[:]); err != nil {
		return nil, err
	}
	if err := rest.ReadID("span_id", q.SpanID, key.SpanID[:]); err != nil {
		return nil, err
	}
	found, err := a.Records.Get(ctx, env, []span.Key{key}, 0)
	if err != nil {
		return nil, err
	}
	stored := store.LastStarted(found)
	if stored == nil {
		return nil, fault.New(fault.NotFound, "span not found")
	}
	own := &genai.View{}
	own.ResetStored(stored, env.Mappings)
	var views []*genai.View
	if run.Wants(own) {
		trace, err := a.Records.Get(ctx, env, []span.Key{stored.Key()}, store.MostSiblings)
		if err != nil {
			return nil, err
		}
		views = genai.StoredViews(trace, env.Mappings)
	}
	return monitor.WithFields(genai.NewTraceView(own, views), func() *span.Span { return stored }), nil
}

// judgeSpan judges as monitors do: a judge, where there is one, is asked about what the
// evaluator is uncertain of.
func judgeSpan(ctx context.Context, run *monitor.Binding, source monitor.SpanSource) (eval.Result, error) {
	result, err := run.Judge(ctx, source)
	if err == nil && run.AsksJudge(&result) {
		return run.AskJudge(ctx, func(f *eval.Field) (string, bool) { return run.Input(source, f) })
	}
	return result, err
}

// add adds what judging came to. It returns the error unless that is a reason to
// have no result.
func (s *ExecutedSpan) add(r *eval.Result, err error) error {
	s.Language = r.Language
	switch {
	case errors.Is(err, eval.ErrMissingInput):
		s.Reason = eval.ReasonMissingInput
		return nil
	case err != nil:
		return err
	}
	made := eval.Evaluation{Status: eval.Done, Outputs: r.Outputs}
	if r.Uncertain {
		made.Status = eval.Uncertain
	}
	s.Result, s.Good, s.Backend, s.Version, s.Model, s.Cached, s.Truncated = r, made.Good(), r.Backend, r.Version, r.Model, r.Cached, r.Truncated
	s.Usage = rest.UsageOf(r.Usage)
	return nil
}
