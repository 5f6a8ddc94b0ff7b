// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ExplainedSetup says what a setup did with a span.
type ExplainedSetup struct {
	SetupID       string         `json:"setup_id" doc:"The setup."`
	ExternalID    string         `json:"external_id,omitempty" doc:"Its name, while it is there."`
	Status        monitor.Status `json:"status,omitempty" doc:"How far the setup got, while it is there." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	CreatedAt     string         `json:"created_at,omitempty" doc:"When it was created, while it is there." schema:"format=date-time"`
	Deleted       bool           `json:"deleted" doc:"Whether it is gone since it judged the span."`
	Matched       bool           `json:"matched" doc:"Whether all rules hold for the span as it is stored now."`
	MadeAfterSpan bool           `json:"made_after_span" doc:"Whether the span came before the setup was created, or in the same millisecond."`
	MinSpans      int64          `json:"min_spans,omitempty" doc:"How many spans have to match before the status says so, where that was said; they are judged all the same." schema:"minimum=1"`
	Paused        bool           `json:"paused,omitempty" doc:"Whether it is paused, and matches no span that comes; absent where it is not."`
	PausedSince   string         `json:"paused_since,omitempty" doc:"Since when." schema:"format=date-time"`

	Sentence   string               `json:"sentence" doc:"What became of the span, in a sentence."`
	Rules      []FindingAnswer      `json:"rules" doc:"The rules in their order, with what each found."`
	Evaluators []ExplainedEvaluator `json:"evaluators" doc:"The evaluators, with what became of each."`
}

// explanation is of one span.
type explanation struct {
	api     *ExplainAPI
	ctx     context.Context //nolint:containedctx // of the one request that the explanation lives for
	env     tenant.Environment
	stored  *span.Span
	view    genai.View
	records []eval.Evaluation
	setups  []monitor.Setup

	owing      *owing             // nil before it was asked for
	evaluators *registry.Registry // with the custom ones at hand; nil before they were asked for
	source     monitor.SpanSource // the span with the rest of its trace; nil before it was asked for
}

func (c *explanation) setup(s *monitor.Setup) (ExplainedSetup, error) {
	shown := ExplainedSetup{
		SetupID: s.ID, ExternalID: s.ExternalID, Status: s.Status, CreatedAt: rest.Time(s.CreatedAt), MinSpans: s.MinSpans,
		MadeAfterSpan: !rest.Moment(time.Unix(0, c.came())).After(s.CreatedAt), Evaluators: make([]ExplainedEvaluator, len(s.Evaluators)),
	}
	if shown.Paused = s.Paused; s.Paused {
		shown.PausedSince = rest.Time(s.PausedSince)
	}
	shown.Rules, shown.Matched = Look(s.Selector, c.stored, &c.view)
	var err error
	for i := range s.Evaluators {
		if shown.Evaluators[i], err = c.evaluator(s, &s.Evaluators[i], &shown); err != nil {
			return shown, err
		}
	}
	shown.Sentence = shown.say(s)
	return shown, nil
}

// deleted are the setups that judged the span and are gone.
func (c *explanation) deleted() []ExplainedSetup {
	var gone []ExplainedSetup
	for i := range c.records {
		e := &c.records[i]
		if e.Source == eval.FromSDK || e.Source == eval.FromHuman || slices.ContainsFunc(c.setups, func(s monitor.Setup) bool { return s.ID == e.SetupID }) {
			continue
		}
		at := slices.IndexFunc(gone, func(s ExplainedSetup) bool { return s.SetupID == e.SetupID })
		if at < 0 {
			if at = len(gone); at == maxSetups {
				break
			}
			gone = append(gone, ExplainedSetup{
				SetupID: e.SetupID, Deleted: true, Sentence: "deleted since it judged the span", Rules: []FindingAnswer{},
			})
		}
		gone[at].Evaluators = append(gone[at].Evaluators, c.recorded(e))
	}
	return gone
}

// say is the sentence about a setup.
func (a *ExplainedSetup) say(s *monitor.Setup) string {
	recorded := slices.ContainsFunc(a.Evaluators, func(e ExplainedEvaluator) bool { return e.Status != statusNone })
	var text string
	switch {
	case a.Matched && !recorded && a.MadeAfterSpan:
		text = "matches, but was made after the span came: a backfill judges it"
	case a.Matched:
		text = "matches"
		if len(a.Rules) == 0 {
			text = "matches every span"
		}
	case recorded:
		text = "does not match any more, and judged the span when it came: " + a.mismatch()
	default:
		text = "does not match: " + a.mismatch()
	}
	if s.Paused {
		text += "; it is paused since " + a.PausedSince + " and matches no span that comes"
	}
	if a.Matched && s.Status == monitor.WaitingForSpans && s.MinSpans > 1 {
		text += fmt.Sprintf("; its status waits for %d spans that match, which are judged all the same", s.MinSpans)
	}
	return text
}

// mismatch says of the first rule that does not hold why.
func (a *ExplainedSetup) mismatch() string {
	for i := range a.Rules {
		if !a.Rules[i].Holds {
			return a.Rules[i].Sentence(i + 1)
		}
	}
	return ""
}

// summary is the sentence about all setups of the environment.
func (a *Explanation) summary(setups int) string {
	matched, there := 0, 0
	for i := range a.Setups {
		if a.Setups[i].Matched {
			matched++
		}
		if !a.Setups[i].Deleted {
			there++
		}
	}
	switch {
	case a.OwnTraffic:
		return "The span is of a judge's own call, which is never judged."
	case setups == 0:
		return "The environment has no auto monitor setups."
	case a.Truncated:
		return fmt.Sprintf("%d of the first %d auto monitor setups match the span; there are %d.", matched, maxSetups, setups)
	}
	return fmt.Sprintf("%d of %d auto monitor setups match the span.", matched, there)
}

// trace is the span as evaluators read it that may look at the rest of its trace.
func (c *explanation) trace() (monitor.SpanSource, error) {
	if c.source != nil {
		return c.source, nil
	}
	trace, err := c.api.Records.Get(c.ctx, c.env, []span.Key{c.stored.Key()}, store.MostSiblings)
	if err != nil {
		return nil, err
	}
	c.source = monitor.WithFields(genai.NewTraceView(&c.view, genai.StoredViews(trace, c.env.Mappings)), c.whole)
	return c.source, nil
}

// run compiles one evaluator of a setup.
func (c *explanation) run(s *monitor.Setup, w *monitor.SetupEvaluator) (*monitor.Binding, error) {
	if c.evaluators == nil {
		var err error
		if c.evaluators, err = c.api.Evaluators.Snapshot(c.ctx, c.env.ID); err != nil {
			return nil, err
		}
	}
	one := *s
	one.Evaluators = []monitor.SetupEvaluator{*w}
	return monitor.Compile(&one, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return c.evaluators.Bound(c.ctx, c.env.ID, w.Slug, w.CustomID)
	}).Bindings[0], nil
}

// came is when the span arrived or, where that is not known, started.
func (c *explanation) came() int64 {
	if c.stored.Arrived != 0 {
		return c.stored.Arrived
	}
	return c.stored.Start
}

// whole is the span as it is stored.
func (c *explanation) whole() *span.Span { return c.stored }
