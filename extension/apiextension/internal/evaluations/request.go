// SPDX-License-Identifier: Apache-2.0

package evaluations

import (
	"math"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// request is a search as its user writes it. An empty text counts as left out.
type request struct {
	rest.Period
	EndedFrom *rest.Text   `json:"ended_from_timestamp_sec"`
	EndedTo   *rest.Text   `json:"ended_to_timestamp_sec"`
	Filters   rest.Filters `json:"filters"`
	Line      string       `json:"q"`
	Setup     string       `json:"setup_id"`
	Evaluator string       `json:"evaluator"`
	Status    string       `json:"status"`
	Reason    string       `json:"reason"`
	Backend   string       `json:"backend"`
	Limit     *rest.Int    `json:"limit"`
	Cursor    string       `json:"cursor"`
}

// query returns the query for the spans that have such an evaluation. The last of its
// filters is what the evaluation has to satisfy.
func (r *request) query() (q query.Query, err error) {
	q = query.Query{Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: query.DefaultLimit, Brief: true}
	if r.Limit != nil {
		q.Limit = int(*r.Limit)
	}
	if q.From, q.To, err = r.Bounds(math.MaxInt64); err != nil {
		return q, err
	}
	if q.Filters, err = spans.ParseFilters(r.Filters.RawMessage, r.Line); err != nil {
		return q, err
	}
	judged, err := r.judged()
	q.Filters = append(q.Filters, judged)
	return q, err
}

// judged returns what an evaluation has to satisfy.
func (r *request) judged() (query.Filter, error) {
	of := func(evaluator, member string, op query.Operator, value string) query.Filter {
		return query.Filter{Field: query.Field{Kind: query.FieldJudged, Name: evaluator, Output: member}, Operator: op, Value: value}
	}
	var list []query.Filter
	if r.Evaluator != "" {
		list = append(list, of(r.Evaluator, query.JudgedStatus, query.OpExists, ""))
	}
	for _, m := range [...]struct{ member, text string }{
		{query.JudgedSetup, r.Setup}, {query.JudgedStatus, r.Status}, {query.JudgedReason, r.Reason}, {query.JudgedBackend, r.Backend},
	} {
		if m.text != "" {
			list = append(list, of("", m.member, query.OpEquals, m.text))
		}
	}
	from, to, err := r.ended()
	if r.EndedFrom != nil {
		list = append(list, of("", query.JudgedTime, query.OpGreaterThanOrEqual, strconv.FormatInt(from, 10)))
	}
	if r.EndedTo != nil {
		list = append(list, of("", query.JudgedTime, query.OpLessThanOrEqual, strconv.FormatInt(to, 10)))
	}
	return query.Judged(list...), err
}

// ended returns when evaluations have to have ended, as far as that is said.
func (r *request) ended() (from, to int64, err error) {
	const last = math.MaxInt64
	if r.EndedFrom != nil {
		if from, _, err = (&rest.Period{From: r.EndedFrom}).Bounds(last); err != nil {
			return 0, 0, fault.New(fault.Invalid, "ended_%s", fault.Message(err))
		}
	}
	if r.EndedTo == nil {
		return from, last, nil
	}
	if _, to, err = (&rest.Period{To: r.EndedTo}).Within(math.MinInt64, last); err != nil {
		return 0, 0, fault.New(fault.Invalid, "ended_%s", fault.Message(err))
	}
	if r.EndedFrom != nil && from > to {
		return 0, 0, fault.New(fault.Invalid, "ended_from_timestamp_sec must not be after ended_to_timestamp_sec")
	}
	return from, to, nil
}
