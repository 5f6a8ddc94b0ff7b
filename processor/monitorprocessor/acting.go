// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/mask"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// acting does what setups ask for on verdicts, with the records of one batch.
type acting struct {
	ctx       context.Context //nolint:containedctx // of the one call that the batch lives for
	processor *monitorProcessor
	budget    mask.Budget
	env       tenant.EnvironmentID

	acts    []act     // of the setups that matched the current record
	maskers []*masker // one for each set of rules that occurred
	// rules are all that acted on records of the current resource, and values holds what
	// they found there.
	rules   []*mask.Rule
	values  *mask.Masker
	gone    []int // the records of the current scope that go, by their places
	dropped bool  // a record went
	tally   mask.Tally
}

// act is one that a matching setup asks for.
type act struct {
	*monitor.Act

	setup string // its id
}

// masker is a masker with its rules.
type masker struct {
	masker *mask.Masker

	rules []*mask.Rule
}

// begin goes over to the records of another environment.
func (a *acting) begin(env tenant.EnvironmentID) {
	a.end()
	a.env = env
}

// end sums up what was done.
func (a *acting) end() {
	for _, m := range a.maskers {
		a.sum(m.masker.Tally())
	}
	a.maskers = nil
}

func (a *acting) sum(t mask.Tally) {
	a.tally.Masked += t.Masked
	a.tally.Hashed += t.Hashed
	a.tally.NotSearched += t.NotSearched
}

// of adds what a setup asks for that matches the current record.
func (a *acting) of(m *monitor.Monitor) {
	for _, one := range m.Acts {
		a.acts = append(a.acts, act{one, m.Setup.ID})
	}
}

// masker returns a masker for the rules of the current acts, nil if none has any.
func (a *acting) masker() *masker {
	var rules []*mask.Rule
	for _, one := range a.acts {
		if one.Rule != nil {
			rules = append(rules, one.Rule)
		}
	}
	if rules == nil {
		return nil
	}
	for _, m := range a.maskers {
		if slices.Equal(m.rules, rules) {
			return m
		}
	}
	m := &masker{a.newMasker(rules), rules}
	a.maskers = append(a.maskers, m)
	return m
}

func (a *acting) newMasker(rules []*mask.Rule) *mask.Masker {
	var key []byte
	if a.processor.hashKey != nil {
		key = a.processor.hashKey(a.env)
	}
	return mask.NewMasker(a.ctx, rules, key, &a.budget)
}

// fate is what is to become of a record, the strictest thing that was asked for.
type fate int

const (
	stays      fate = iota
	losesTexts      // what was found in it
	losesContent
	goes
)

// fateOf returns what is to become of a record: by what the masker, which may be nil, found
// in its texts, and by verdicts where there is nothing to be found. What could not be judged
// counts as failed.
func (a *acting) fateOf(m *masker, say func(one act) verdict) (worst fate, failed bool) {
	for _, one := range a.acts {
		var said verdict
		if one.Rule != nil {
			said = verdict{against: m.masker.Hit(one.Rule), failed: m.masker.Missed(one.Rule)}
		} else {
			said = say(one)
		}
		if said.against {
			worst = max(worst, effectOf(one.Action))
		}
		if said.uncertain && one.DropUncertain {
			worst = max(worst, losesContent)
		}
		if said.failed {
			failed = true
			switch {
			case one.Keep:
			case one.Rule != nil && effectOf(one.Action) == losesTexts: // those that could not be searched
				worst = max(worst, losesTexts)
			default:
				worst = max(worst, losesContent)
			}
		}
	}
	return worst, failed
}

// effectOf returns what an action does. One of another release drops the content.
func effectOf(a monitor.VerdictAction) fate {
	switch a {
	case monitor.ActMask, monitor.ActHash:
		return losesTexts
	case monitor.ActDropSpan:
		return goes
	case monitor.ActDropContent:
	}
	return losesContent
}

// noted has what was found in a record be sought in its resource and scope.
func (a *acting) noted(m *masker) {
	if m == nil {
		return
	}
	if a.values == nil {
		a.values = mask.NewMasker(a.ctx, nil, nil, &a.budget)
	}
	m.masker.Values(a.values)
	for _, r := range m.rules {
		if !slices.Contains(a.rules, r) {
			a.rules = append(a.rules, r)
		}
	}
}

// origins writes the current resource again, and its scopes, which each calls the function
// with, and ends with the resource.
func (a *acting) origins(r mask.Resourced, each func(func(mask.Scoped))) {
	if a.rules == nil {
		return
	}
	m := a.newMasker(a.rules)
	m.Begin()
	a.values.Values(m)
	m.RewriteResource(r)
	each(func(s mask.Scoped) { m.RewriteScope(s) })
	a.sum(m.Tally())
	a.rules, a.values = nil, nil
}

// goes says that the record at a place of its scope goes, and took removes them.
func (a *acting) goes(place int) { a.gone = append(a.gone, place) }

// took returns what tells, asked of the records of a scope in their order, which go; nil if
// none does.
func (a *acting) took() func() bool {
	if len(a.gone) == 0 {
		return nil
	}
	a.dropped = true
	gone, place := a.gone, -1
	a.gone = nil
	return func() bool {
		place++
		if len(gone) == 0 || gone[0] != place {
			return false
		}
		gone = gone[1:]
		return true
	}
}

// verdict is what an evaluation came to that an act goes by; the zero value says nothing
// against the text.
type verdict struct{ against, uncertain, failed bool }

// verdict says what the evaluation of the current span came to that an act goes by.
func (b *batch) verdict(one act) verdict {
	at := slices.IndexFunc(b.evaluations, func(e eval.Evaluation) bool { return e.SetupID == one.setup && e.Evaluator == one.Evaluator })
	if at < 0 {
		return verdict{failed: true}
	}
	return verdictOf(&b.evaluations[at])
}

func verdictOf(e *eval.Evaluation) verdict {
	switch {
	case e.Status == eval.Done:
		good := e.Good()
		return verdict{against: good != nil && !*good}
	case e.Status == eval.Uncertain:
		return verdict{uncertain: true}
	case e.Status == eval.Skipped && e.Reason == eval.ReasonMissingInput: // nothing was said
		return verdict{}
	}
	return verdict{failed: true}
}

// act does with the current span, which is the one at a place of its scope, what the setups
// ask for that match it. It fails if the client leaves: what was not searched for that is
// to be sent again.
func (b *batch) act(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, place int, s ptrace.Span) error {
	a := &b.acting
	if len(a.acts) == 0 {
		return nil
	}
	m := a.masker()
	if m != nil {
		m.masker.Begin()
		m.masker.LookAtOrigin(rs, ss)
		m.masker.LookAtSpan(s)
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	worst, failed := a.fateOf(m, b.verdict)
	b.tally.acted(signalTraces, worst, failed)
	a.noted(m)
	switch worst {
	case goes:
		a.goes(place)
		return nil
	case losesContent:
		genai.DropContent(rs.Resource(), s)
	case losesTexts, stays:
	}
	if m != nil && m.masker.Changes() {
		m.masker.RewriteSpan(s)
		if list := monitor.Carried(s.Attributes()); m.masker.RewriteEvaluations(list) {
			monitor.CarryAnew(s.Attributes(), list)
		}
	}
	return nil
}

// endScope takes the spans out of a scope that go.
func (a *acting) endScope(ss ptrace.ScopeSpans) {
	if goes := a.took(); goes != nil {
		ss.Spans().RemoveIf(func(ptrace.Span) bool { return goes() })
	}
}

// endResource does with a resource and its scopes what was asked for of its spans.
func (a *acting) endResource(rs ptrace.ResourceSpans) {
	a.origins(rs, func(visit func(mask.Scoped)) {
		for _, ss := range rs.ScopeSpans().All() {
			visit(ss)
		}
	})
	if a.dropped {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool { return ss.Spans().Len() == 0 })
	}
}
