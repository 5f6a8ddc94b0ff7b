// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"math"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// EvaluationSearch is a search as its user writes it. An empty text counts as left out.
type EvaluationSearch struct {
	rest.Period
	EndedFrom *rest.Text   `json:"ended_from_timestamp_sec" doc:"Evaluations that ended, or while they are deferred were deferred first, at or after this Unix time in seconds. Left out: at any time. A string of digits is taken too." schema:"types=integer,string,null" pattern:"^-?[0-9]+$" must:"a whole number of seconds since 1970"`
	EndedTo   *rest.Text   `json:"ended_to_timestamp_sec" doc:"The same, at or before this Unix time in seconds. A string of digits is taken too." schema:"types=integer,string,null" pattern:"^-?[0-9]+$" must:"a whole number of seconds since 1970"`
	Filters   rest.Filters `json:"filters" doc:"Conditions on the span that must all hold, as in searches of spans." schema:"maxItems=100"`
	Line      string       `json:"q" doc:"More conditions, as a line such as status:error model:gpt-4o -name:\"GET /\" duration>2s." schema:"maxLength=4096"`
	Setup     string       `json:"setup_id" doc:"The setup that is meant; left out: all." schema:"maxLength=4096"`
	Evaluator string       `json:"evaluator" doc:"The evaluator that is meant; left out: all." schema:"maxLength=4096"`
	Status    string       `json:"status" doc:"The status that is meant; left out: all." enum:"done,uncertain,deferred,skipped,failed"`
	Reason    string       `json:"reason" doc:"The reason that is meant; left out: all." schema:"maxLength=4096"`
	Backend   string       `json:"backend" doc:"What computed the verdicts that are meant; left out: any, or nothing yet." enum:"deterministic,embedded,judge,embedding,classifier"`
	Limit     *rest.Int    `json:"limit" doc:"How many evaluations a page has at most." schema:"minimum=1 maximum=1000 default=50"`
	Cursor    string       `json:"cursor" doc:"next_cursor of the page before, with everything else but limit unchanged." schema:"maxLength=8192"`
}

// query returns the query for the spans that have such an evaluation. The last of its
// filters is what the evaluation has to satisfy.
func (r *EvaluationSearch) query() (q query.Query, err error) {
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
func (r *EvaluationSearch) judged() (query.Filter, error) {
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
func (r *EvaluationSearch) ended() (from, to int64, err error) {
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
