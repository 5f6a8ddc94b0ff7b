// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// outputRow is an output as it is selected.
type outputRow struct {
	head
	query.Output
	text, kind string
}

// outputs answers a query for outputs: the evaluations of spans one by one, and the
// outputs of these.
func (s *search) outputs(ctx context.Context) (page query.Page, err error) {
	s.source.withEvaluations()
	columns := s.outputColumns()
	filters := s.condition(query.All(s.query.Filters...))
	order := s.orderOfOutputs()
	if none, err := s.narrow(ctx, sqltext.Always, s.query.Filters); err != nil || none {
		return query.Page{}, err
	}
	each := s.eachOutput()
	if s.query.Total {
		if page.Total, err = s.db.number(ctx, "count outputs", "SELECT toInt64(count()) FROM "+each+" WHERE "+filters); err != nil {
			return query.Page{}, err
		}
	}
	if s.query.Limit == 0 {
		return page, nil
	}
	list, err := rows(ctx, s.db, "find outputs", columns, "SELECT "+names(columns)+" FROM "+each+
		" WHERE "+filters+order.behind+order.by+" LIMIT "+strconv.Itoa(s.query.Limit+1))
	if err != nil {
		return query.Page{}, err
	}
	for _, r := range list[:min(len(list), s.query.Limit)] {
		r.Span = span.Key{TraceID: r.trace, SpanID: r.id, Start: r.Start}
		r.Output.Output.Value = outputValue(r.kind[0], r.text)
		page.Outputs = append(page.Outputs, r.Output)
	}
	if len(list) > s.query.Limit {
		next := s.query.Order.PositionOf(&page.Outputs[s.query.Limit-1])
		page.Next = &next
	}
	return page, nil
}

// eachOutput returns what follows FROM, for the outputs one by one; the source knows
// by then all that is looked at.
func (s *search) eachOutput() string {
	join := " ARRAY JOIN evs AS e ARRAY JOIN " + s.source.evaluation("names") + " AS output_name, " + s.source.evaluation("texts") +
		" AS output_text, splitByString('', " + s.source.evaluation("kinds") + ") AS output_kind WHERE " + s.source.evaluation("status") +
		" = '" + string(eval.Done) + "'"
	return "(SELECT *, e, output_name, output_text, output_kind FROM " + s.source.from() + join + ")"
}

// outputColumns are what is selected of an output. Their names are expressions.
func (s *search) outputColumns() []column[outputRow] {
	return append(headColumns(func(r *outputRow) *head { return &r.head })[2:4],
		field("start", "Int64", func(r *outputRow) *int64 { return &r.Start }),
		text(s.source.evaluation("setup"), func(r *outputRow) *string { return &r.SetupID }),
		text(s.source.evaluation("evaluator"), func(r *outputRow) *string { return &r.Evaluator }),
		text(s.source.evaluation("backend"), func(r *outputRow) *eval.Backend { return &r.Backend }),
		text(s.source.evaluation("source"), func(r *outputRow) *eval.EvaluationSource { return &r.Source }),
		text(s.source.evaluation("prompt_version"), func(r *outputRow) *string { return &r.Version }),
		text(s.source.evaluation("model"), func(r *outputRow) *string { return &r.Judge }),
		field(s.source.evaluation("time"), "Int64", func(r *outputRow) *int64 { return &r.Time }),
		text("output_name", func(r *outputRow) *string { return &r.Output.Output.Name }),
		text("output_text", func(r *outputRow) *string { return &r.text }),
		text("output_kind", func(r *outputRow) *string { return &r.kind }),
		text("name", func(r *outputRow) *string { return &r.SpanName }),
		text("service", func(r *outputRow) *string { return &r.Service }),
		text("vendor", func(r *outputRow) *string { return &r.Vendor }),
		text("if(response_model = '', request_model, response_model)", func(r *outputRow) *string { return &r.Model }),
		text("workflow", func(r *outputRow) *string { return &r.Workflow }),
		text("entity", func(r *outputRow) *string { return &r.Entity }),
	)
}

// orderOfOutputs returns the order of the query, of outputs.
func (s *search) orderOfOutputs() order {
	after := query.Position{}
	if s.query.After != nil {
		after = *s.query.After
	}
	setup, evaluator := s.source.evaluation("setup"), s.source.evaluation("evaluator")
	exprs := []string{"start", "trace", "id", setup, evaluator, "output_name"}
	values := []string{
		sqltext.Whole(after.Start), sqltext.Fixed(after.TraceID[:]), sqltext.Fixed(after.SpanID[:]), sqltext.Literal(after.Setup), sqltext.Literal(after.Evaluator), sqltext.Literal(after.Output),
	}
	switch s.query.Order.By {
	case query.SortMetric:
		exprs, values = append([]string{evaluator, "output_name"}, exprs...), append([]string{sqltext.Literal(after.Evaluator), sqltext.Literal(after.Output)}, values...)
	case query.SortNumber:
		number := "multiIf(output_kind = 's', -inf, output_kind = 'b', if(output_text = 'true', 1., 0.), ifNull(" + numberOf("output_text") + ", -inf))"
		exprs, values = append([]string{number}, exprs...), append([]string{sqltext.Number(after.Real)}, values...)
	}
	return newOrder(&s.query, exprs, values)
}
