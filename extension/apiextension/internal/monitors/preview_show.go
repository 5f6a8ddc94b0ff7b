// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

func (p *trial) show() (*Preview, error) {
	shown := &Preview{
		Matched: p.matched, Truncated: p.truncated,
		Evaluators: make([]previewEvaluator, len(p.monitor.Bindings)), Samples: make([]previewSample, len(p.samples)),
	}
	var err error
	if shown.Spans, err = p.seen(); err != nil {
		return nil, err
	}
	for i, run := range p.monitor.Bindings {
		shown.Evaluators[i] = showRun(run)
	}
	for i := range p.samples {
		if shown.Samples[i], err = p.sample(&p.samples[i]); err != nil {
			return nil, err
		}
		for j, e := range shown.Samples[i].Evaluators {
			for _, name := range e.Missing {
				shown.Evaluators[j].Missing[name]++
			}
		}
	}
	return shown, nil
}

func showRun(run *monitor.Binding) previewEvaluator {
	shown := previewEvaluator{EvaluatorType: run.Spec.Slug, EvaluatorID: run.Spec.CustomID, Status: ready, Missing: map[string]int{}}
	if run.Err != nil {
		shown.Status, shown.ErrorMessage = failed, fault.Message(run.Err)
		if fault.Is(run.Err, fault.NotConfigured) {
			shown.Status = needsModel
		}
	}
	return shown
}

// sample returns the inputs of one span as its evaluators would get them.
func (p *trial) sample(s *span.Span) (previewSample, error) {
	shown := previewSample{
		TraceID: s.TraceID.String(), SpanID: s.SpanID.String(), Timestamp: s.TimestampMillis(), SpanName: s.Name,
		Evaluators: make([]previewInputs, len(p.monitor.Bindings)),
	}
	var own genai.View
	own.ResetStored(s, p.env.Mappings)
	siblings, err := p.siblings(s, &own)
	if err != nil {
		return shown, err
	}
	source := monitor.WithFields(genai.NewTraceView(&own, siblings), func() *span.Span { return s })
	for i, run := range p.monitor.Bindings {
		shown.Evaluators[i] = showInputs(run, run.Inputs(source), run.Spec.Sampled(s.TraceID))
	}
	return shown, nil
}

// siblings returns the other spans of the trace if an input may be found there.
func (p *trial) siblings(s *span.Span, own *genai.View) ([]*genai.View, error) {
	if !slices.ContainsFunc(p.monitor.Bindings, func(r *monitor.Binding) bool { return r.Wants(own) }) {
		return nil, nil
	}
	trace, err := p.api.Records.Get(p.ctx, p.env, []span.Key{s.Key()}, store.MostSiblings)
	return genai.StoredViews(trace, p.env.Mappings), err
}

func showInputs(run *monitor.Binding, inputs []monitor.Input, sampled bool) previewInputs {
	shown := previewInputs{EvaluatorType: run.Spec.Slug, Sampled: sampled, Inputs: map[string]string{}, Missing: []string{}}
	for _, in := range inputs {
		switch {
		case in.Found:
			text, cut := textcut.Characters(in.Text, maxInput)
			shown.Inputs[in.Name] = text
			shown.Truncated = shown.Truncated || cut
		case in.Required:
			shown.Missing = append(shown.Missing, in.Name)
		}
	}
	return shown
}
