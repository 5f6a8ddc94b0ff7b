// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// modelPoint is a point with the record that it is of.
type modelPoint struct {
	store.Point
	record store.Record
}

// points gives all points of the model's records.
func (m model) points() []modelPoint {
	var list []modelPoint
	for _, x := range m.records {
		s := x.Span
		for _, e := range x.Evaluations {
			if e.Status != eval.Done {
				continue
			}
			for _, o := range e.Outputs {
				list = append(list, modelPoint{record: x, Point: store.Point{
					SetupID: e.SetupID, Evaluator: e.Evaluator, Output: o, Backend: e.Backend, Time: e.Time,
					Span: keyOf(s), Start: s.Start, SpanName: s.Name, Service: s.Service, Vendor: s.Vendor,
					Model: cmp.Or(s.ResponseModel, s.RequestModel), Workflow: s.Workflow, Entity: s.Entity,
				}})
			}
		}
	}
	return list
}

// findPoints gives the points that match, in their order, all pages together.
func (m model) findPoints(q store.PointQuery) []store.Point {
	var list []store.Point
	for _, p := range m.points() {
		misses := func(f store.PointFilter) bool { return !m.matchesPoint(p, f) }
		matches := func(f store.PointFilter) bool { return m.matchesPoint(p, f) }
		if p.Start < q.From || p.Start > q.To || slices.ContainsFunc(q.All, misses) ||
			len(q.Any) > 0 && !slices.ContainsFunc(q.Any, matches) {
			continue
		}
		list = append(list, p.Point)
	}
	slices.SortFunc(list, func(a, b store.Point) int {
		order := comparePoints(q.By, placeOf(a), placeOf(b))
		if q.Descending {
			return -order
		}
		return order
	})
	return list
}

func (m model) matchesPoint(p modelPoint, f store.PointFilter) bool {
	x := query.Filter{Field: f.Span, Operator: f.Operator, Value: f.Value, Number: f.Number, Values: f.Values}
	_, text := p.Output.Value.(string)
	_, truth := p.Output.Value.(bool)
	var values []string
	switch f.Field {
	case store.PointSpan:
		return m.matches(p.record, x)
	case store.PointEvaluator:
		values = []string{p.Evaluator}
	case store.PointOutput:
		values = []string{p.Output.Name}
	case store.PointSetup:
		values = []string{p.SetupID}
	case store.PointBackend:
		values = []string{string(p.Backend)}
	case store.PointText:
		if text {
			values = []string{p.Output.Text()}
		}
	case store.PointBool:
		if truth {
			values = []string{p.Output.Text()}
		}
	case store.PointNumber:
		if !text && !truth {
			values = []string{p.Output.Text()}
		}
	}
	if f.Field == store.PointNumber && len(values) > 0 {
		return x.HoldsNumber(values[0])
	}
	return x.Holds(values...)
}

// placeOf gives the position of a point.
func placeOf(p store.Point) store.PointPosition {
	at := store.PointPosition{
		Number: math.Inf(-1), Start: p.Start, Span: p.Span, Setup: p.SetupID, Evaluator: p.Evaluator, Output: p.Output.Name,
	}
	switch v := p.Output.Value.(type) {
	case bool:
		at.Number = 0
		if v {
			at.Number = 1
		}
	case int64:
		at.Number = float64(v)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			at.Number = v
		}
	}
	return at
}

func comparePoints(by store.PointKey, a, b store.PointPosition) int {
	key := 0
	switch by {
	case store.PointByEvaluator:
		key = cmp.Or(strings.Compare(a.Evaluator, b.Evaluator), strings.Compare(a.Output, b.Output))
	case store.PointByNumber:
		key = cmp.Compare(a.Number, b.Number)
	case store.PointByStart: // as all
	}
	return cmp.Or(
		key,
		cmp.Compare(a.Start, b.Start),
		bytes.Compare(a.Span.TraceID[:], b.Span.TraceID[:]),
		bytes.Compare(a.Span.SpanID[:], b.Span.SpanID[:]),
		strings.Compare(a.Setup, b.Setup),
		strings.Compare(a.Evaluator, b.Evaluator),
		strings.Compare(a.Output, b.Output),
	)
}

var pointKeys = []store.PointKey{store.PointByStart, store.PointByEvaluator, store.PointByNumber}

func randomPointQuery(r *rand.Rand) store.PointQuery {
	q := everyPoint()
	if r.IntN(3) == 0 {
		q.From = epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(4))*500_000
	}
	q.By, q.Descending = pointKeys[r.IntN(len(pointKeys))], r.IntN(2) == 0
	q.Limit = 1 + r.IntN(40)
	for range r.IntN(3) {
		q.All = append(q.All, randomPointFilter(r))
	}
	for range max(0, r.IntN(5)-1) {
		q.Any = append(q.Any, randomPointFilter(r))
	}
	return q
}

func randomPointFilter(r *rand.Rand) store.PointFilter {
	x := randomFilter(r)
	for x.Field.Kind == query.FieldEvaluation {
		x.Field = randomField(r)
	}
	f := store.PointFilter{Field: store.PointSpan, Span: x.Field, Operator: x.Operator, Value: x.Value, Number: x.Number, Values: x.Values}
	from := append(append([]string{"9007199254740993", "1.50", "true", "false", "judge"}, poolSetups...), poolOutputs...)
	switch r.IntN(8) {
	case 0:
		f.Field, from = store.PointEvaluator, poolEvaluators
	case 1:
		f.Field, from = store.PointOutput, poolOutputs
	case 2:
		f.Field, from = store.PointSetup, poolSetups
	case 3:
		f.Field, from = store.PointBackend, []string{"", string(eval.Judge), string(eval.Embedded)}
	case 4:
		f.Field = store.PointText
	case 5:
		f.Field = store.PointNumber
	case 6:
		f.Field, from = store.PointBool, []string{"true", "false", "True"}
	default:
		return f
	}
	f.Span = query.Field{}
	if !f.Operator.Numeric() && r.IntN(3) > 0 {
		if f.Value != "" {
			f.Value = pick(r, from)
		}
		for i := range f.Values {
			f.Values[i] = pick(r, from)
		}
	}
	return f
}
