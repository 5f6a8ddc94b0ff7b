// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A metric is one output of one evaluator, and its name <slug>.<output>. Who
// asks for the slug alone means all outputs.

// sourceJudge is the source of metrics that a judge made; the source of others
// is their evaluator, with underscores.
const sourceJudge = "llm_as_a_judge"

// metricNames knows what an environment calls its metrics.
type metricNames struct {
	env     tenant.Environment
	catalog *eval.Catalog
	customs func() ([]known, error)

	all []*eval.Evaluator // nil until they are asked for
}

// spelled gives a name as all its spellings have it: clients write spaces,
// hyphens, underscores and capitals as they like.
func spelled(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' {
			return '-'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

// evaluators gives all that the environment has or had.
func (n *metricNames) evaluators() ([]*eval.Evaluator, error) {
	if n.all == nil {
		customs, err := n.customs()
		if err != nil {
			return nil, err
		}
		n.all = n.catalog.All()
		for i := range customs {
			n.all = append(n.all, customs[i].Evaluator)
		}
	}
	return n.all, nil
}

// metric is what a name means: any of these evaluators, and of their outputs
// any of these or, if there are none, any at all.
type metric struct {
	slugs, outputs []string
}

// find gives what a name means. What nobody knows may be an evaluator that a
// release dropped, so it is looked for as it is spelled.
func (n *metricNames) find(name string) (m metric, err error) {
	all, err := n.evaluators()
	if err != nil {
		return m, err
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

// named gives the term of a filter on metric_name.
func (n *metricNames) named(path string, o metricOperand) (term, error) {
	positive, negated := o.negated()
	switch positive.op {
	case query.OpExists:
		return constant(!negated), nil
	case query.OpContains, query.OpStartsWith:
		return one(store.PointFilter{Field: store.PointEvaluator, Operator: o.op, Value: spelled(o.values[0])}), nil
	case query.OpEquals, query.OpIn:
	default:
		return term{}, fault.New(fault.Invalid, "%s: metric_name is no number", path)
	}
	var slugs, outputs []string
	whole := 0
	for i, name := range positive.values {
		m, err := n.find(name)
		if err != nil {
			return term{}, err
		}
		if i > 0 && len(m.outputs)+len(outputs) > 0 && !slices.Equal(m.slugs, slugs) {
			return term{}, fault.New(fault.Invalid, "%s: outputs of several evaluators need a filter each", path)
		}
		if len(m.outputs) == 0 {
			whole++
		}
		slugs, outputs = union(slugs, m.slugs), union(outputs, m.outputs)
	}
	if whole > 0 {
		outputs = nil
	}
	return among(negated, slugs, outputs), nil
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// among is the term that a metric is one of these, or that it is none.
func among(negated bool, slugs, outputs []string) term {
	op := query.OpIn
	if negated {
		op = query.OpNotIn
	}
	filters := []store.PointFilter{{Field: store.PointEvaluator, Operator: op, Values: slugs}}
	if len(outputs) > 0 {
		filters = append(filters, store.PointFilter{Field: store.PointOutput, Operator: op, Values: outputs})
	}
	if negated && len(filters) > 1 {
		return term{any: filters}
	}
	return term{all: filters}
}

// sourced gives the term of a filter on metric_source.
func (n *metricNames) sourced(path string, o metricOperand) (term, error) {
	positive, negated := o.negated()
	switch positive.op {
	case query.OpExists:
		return constant(!negated), nil
	case query.OpEquals, query.OpIn:
	default:
		return term{}, fault.New(fault.Invalid, "%s: metric_source knows the operators equals, not_equals, in, not_in, exists and not_exists", path)
	}
	var slugs []string
	judged := false
	for _, name := range positive.values {
		if spelled(name) == spelled(sourceJudge) {
			judged = true
			continue
		}
		m, err := n.find(name)
		if err != nil {
			return term{}, err
		}
		slugs = union(slugs, m.slugs)
	}
	byJudge := func(op query.Operator) store.PointFilter {
		return store.PointFilter{Field: store.PointBackend, Operator: op, Value: string(eval.Judge)}
	}
	ofSlugs := func(op query.Operator) store.PointFilter {
		return store.PointFilter{Field: store.PointEvaluator, Operator: op, Values: slugs}
	}
	switch {
	case judged && len(slugs) == 0 && !negated:
		return one(byJudge(query.OpEquals)), nil
	case judged && len(slugs) == 0:
		return one(byJudge(query.OpNotEquals)), nil
	case judged && !negated: // a judge's, or whoever's of these
		return term{any: []store.PointFilter{byJudge(query.OpEquals), ofSlugs(query.OpIn)}}, nil
	case judged:
		return term{all: []store.PointFilter{byJudge(query.OpNotEquals), ofSlugs(query.OpNotIn)}}, nil
	case !negated:
		return term{all: []store.PointFilter{byJudge(query.OpNotEquals), ofSlugs(query.OpIn)}}, nil
	default:
		return term{any: []store.PointFilter{byJudge(query.OpEquals), ofSlugs(query.OpNotIn)}}, nil
	}
}
