// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A metric is one output of one evaluator, and its name <slug>.<output>. Who
// asks for the slug alone means all outputs.

// names knows what an environment calls its metrics.
type names struct {
	env tenant.Environment
	// evaluators returns all that the environment has.
	evaluators func() ([]*eval.Evaluator, error)
}

// spelled returns a name as all its spellings have it: clients write spaces,
// hyphens, underscores and capitals as they like.
func spelled(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' {
			return '-'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

// metric is what a name means: any of these evaluators, and of their outputs
// any of these or, if there are none, any at all.
type metric struct {
	slugs, outputs []string
}

// find returns what a name means. An unknown name may be an evaluator that a
// release dropped, so it is looked for as it is spelled.
func (n *names) find(name string) (m metric, err error) {
	all, err := n.evaluators()
	if err != nil {
		return m, err
	}
	if slugs, outputs, found := opinionNames(strings.TrimPrefix(strings.TrimSpace(name), tenant.EvaluationPrefix)); found {
		return metric{slugs: slugs, outputs: outputs}, nil
	}
	slug, output, dotted := strings.Cut(strings.TrimPrefix(strings.TrimSpace(name), tenant.EvaluationPrefix), ".")
	slug = spelled(slug)
	m.slugs = []string{slug}
	if dotted {
		m.outputs = []string{strings.TrimSpace(output)}
	}
	for _, e := range all {
		if spelled(e.Slug) != slug {
			continue
		}
		if e.Slug != slug {
			m.slugs = append(m.slugs, e.Slug)
		}
		for i := range e.Output {
			o := e.Output[i].Name
			if dotted && spelled(o) == spelled(output) && !slices.Contains(m.outputs, o) {
				m.outputs = append(m.outputs, o)
			}
		}
	}
	return m, nil
}

// opinionNames returns what the name of an opinion means, whose spelling is the giver's:
// <source>:<name>, or with an output behind it.
func opinionNames(name string) (slugs, outputs []string, found bool) {
	if _, _, found = opinion.Source(name); !found {
		return nil, nil, false
	}
	if at := strings.LastIndexByte(name, '.'); at >= 0 && opinion.IsOutput(name[at+1:]) {
		return []string{name[:at]}, []string{name[at+1:]}, true
	}
	return []string{name}, nil, true
}

// maxNamed is how many evaluators one filter may name the outputs of.
const maxNamed = 100

// named returns what a filter on metric_name comes to.
func (n *names) named(path string, o query.Filter) (query.Filter, error) {
	op, negated := o.Operator.Positive()
	switch op {
	case query.OpExists:
		return constant(!negated), nil
	case query.OpContains, query.OpStartsWith:
		o.Value = spelled(o.Value)
		return on(o, query.FieldOutput, query.OutputEvaluator), nil
	case query.OpEquals, query.OpIn:
	default:
		return o, fault.New(fault.Invalid, "%s: metric_name is no number", path)
	}
	var whole []string // evaluators of which any output is meant
	var parts []metric // others, each once
	for _, name := range namesIn(o) {
		m, err := n.find(name)
		if err != nil {
			return o, err
		}
		same := slices.IndexFunc(parts, func(p metric) bool { return slices.Equal(p.slugs, m.slugs) })
		switch {
		case len(m.outputs) == 0:
			whole = union(whole, m.slugs)
		case same >= 0:
			parts[same].outputs = union(parts[same].outputs, m.outputs)
		case len(parts) == maxNamed:
			return o, fault.New(fault.Invalid, "%s must name outputs of at most %d evaluators", path, maxNamed)
		default:
			parts = append(parts, m)
		}
	}
	var alternatives []query.Filter
	if len(whole) > 0 {
		alternatives = append(alternatives, among(negated, query.OutputEvaluator, whole))
	}
	for _, m := range parts {
		alternatives = append(alternatives, both(negated, among(negated, query.OutputEvaluator, m.slugs), among(negated, query.OutputName, m.outputs)))
	}
	return both(!negated, alternatives...), nil
}

// both returns the condition that all of the conditions hold; or where they are
// negations, the negation of that all of what they negate does: that one holds.
func both(negated bool, filters ...query.Filter) query.Filter {
	switch {
	case len(filters) == 1:
		return filters[0]
	case negated:
		return query.Any(filters...)
	}
	return query.All(filters...)
}

// namesIn returns what a filter by equals, in or their negations compares with.
func namesIn(o query.Filter) []string {
	if op, _ := o.Operator.Positive(); op == query.OpIn {
		return o.Values
	}
	return []string{o.Value}
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// among is the condition that a field of the output is one of these, or that it
// is none.
func among(negated bool, field string, values []string) query.Filter {
	op := query.OpIn
	if negated {
		op = query.OpNotIn
	}
	return on(query.Filter{Operator: op, Values: values}, query.FieldOutput, field)
}

// sourced returns what a filter on metric_source comes to: verdicts of a judge have
// that for their source, others their evaluator.
func (n *names) sourced(path string, o query.Filter) (query.Filter, error) {
	op, negated := o.Operator.Positive()
	switch op {
	case query.OpExists:
		return constant(!negated), nil
	case query.OpEquals, query.OpIn:
	default:
		return o, fault.New(fault.Invalid, "%s: metric_source knows the operators equals, not_equals, in, not_in, exists and not_exists", path)
	}
	var slugs []string
	var sources []string
	judged := false
	for _, name := range namesIn(o) {
		if spelled(name) == spelled(query.SourceJudge) {
			judged = true
			continue
		}
		if source := spelled(name); source == string(eval.FromSDK) || source == string(eval.FromHuman) {
			sources = append(sources, source)
			continue
		}
		m, err := n.find(name)
		if err != nil {
			return o, err
		}
		slugs = union(slugs, m.slugs)
	}
	byJudge := func(negated bool) query.Filter {
		return among(negated, query.OutputBackend, []string{string(eval.Judge)})
	}
	var either []query.Filter // of these, any of them
	if judged {
		either = append(either, byJudge(negated))
	}
	if len(sources) > 0 {
		either = append(either, among(negated, query.OutputSource, sources))
	}
	ofSlugs := among(negated, query.OutputEvaluator, slugs)
	switch {
	case len(slugs) == 0:
	case judged: // a judge's, or anyone's of these
		either = append(either, ofSlugs)
	default:
		either = append(either, both(negated, byJudge(!negated), ofSlugs))
	}
	return both(!negated, either...), nil
}
