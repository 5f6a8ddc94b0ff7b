// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
)

// findOutputs returns the outputs that match, in their order, all pages together.
func (m model) findOutputs(q query.Query) []query.Output {
	var list []query.Output
	for _, x := range m.records {
		s := shown(x)
		for _, o := range outputsOf(x) {
			if q.Matches(&s, &o, x.Evaluations...) {
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(a, b query.Output) int {
		x, y := q.Order.PositionOf(&a), q.Order.PositionOf(&b)
		return q.Order.Compare(&x, &y)
	})
	return list
}

// outputsOf returns the outputs of a record's evaluations.
func outputsOf(x store.Record) (list []query.Output) {
	s := x.Span
	for _, e := range x.Evaluations {
		if e.Status != eval.Done {
			continue
		}
		for _, o := range e.Outputs {
			list = append(list, query.Output{
				SetupID: e.SetupID, Evaluator: e.Evaluator, Output: o, Backend: e.Backend, Source: e.Source, Version: e.Version, Judge: e.Model, Time: e.Time,
				Span: s.Key(), Start: s.Start, SpanName: s.Name, Service: s.Service, Vendor: s.Vendor,
				Model: cmp.Or(s.ResponseModel, s.RequestModel), Workflow: s.Workflow, Entity: s.Entity,
			})
		}
	}
	return list
}

var outputKeys = []query.SortKey{query.SortTimestamp, query.SortMetric, query.SortNumber}

func randomOutputQuery(r *rand.Rand) query.Query {
	q := everyOutput()
	if r.IntN(3) == 0 {
		q.From = storetest.Epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(4))*500_000
	}
	q.Order = query.Order{By: outputKeys[r.IntN(len(outputKeys))], Descending: r.IntN(2) == 0}
	q.Limit = 1 + r.IntN(40)
	for range r.IntN(3) {
		q.Filters = append(q.Filters, randomTree(r, randomOutputFilter, 2))
	}
	return q
}

// randomTree returns a condition that may be made of others.
func randomTree(r *rand.Rand, leaf func(*rand.Rand) query.Filter, depth int) query.Filter {
	if depth == 0 || r.IntN(3) > 0 {
		return leaf(r)
	}
	var list []query.Filter
	for range r.IntN(4) {
		list = append(list, randomTree(r, leaf, depth-1))
	}
	if r.IntN(2) == 0 {
		return query.All(list...)
	}
	return query.Any(list...)
}

func randomOutputFilter(r *rand.Rand) query.Filter {
	f := randomFilter(r)
	from := append(append([]string{"9007199254740993", "1.50", "true", "false", "judge"}, pools.Setups...), pools.Outputs...)
	name := ""
	switch r.IntN(9) {
	case 0:
		name, from = query.OutputEvaluator, pools.Evaluators
	case 1:
		name, from = query.OutputName, pools.Outputs
	case 2:
		name, from = query.OutputSetup, pools.Setups
	case 3:
		name, from = query.OutputBackend, []string{"", string(eval.Judge), string(eval.Embedded)}
	case 7:
		name, from = query.OutputSource, []string{"", string(eval.FromTouchstone), string(eval.FromHuman)}
	case 4:
		name = query.OutputText
	case 5:
		name = query.OutputNumber
	case 6:
		name, from = query.OutputBool, []string{"true", "false", "True"}
	default:
		return f
	}
	f.Field = query.Field{Kind: query.FieldOutput, Name: name}
	if !f.Operator.Numeric() && r.IntN(3) > 0 {
		if f.Value != "" {
			f.Value = pools.Pick(r, from)
		}
		for i := range f.Values {
			f.Values[i] = pools.Pick(r, from)
		}
	}
	return f
}
