// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// judgedOperand is a text that evaluations of a span have, of any status: of one
// evaluator, or of all.
type judgedOperand query.Field

// judgedColumns says where the members are.
var judgedColumns = map[string]string{
	query.JudgedStatus: "j.status", query.JudgedReason: "j.reason", query.JudgedBackend: "j.backend", query.JudgedSetup: "j.setup",
	query.JudgedGood: "(" + goodText + ")",
}

func (o judgedOperand) test(c *conditions, f query.Filter) string {
	f.Field = query.Field(o)
	return c.judged([]query.Filter{f})
}

// judged returns the condition that one evaluation of the span satisfies all of some
// filters, which are on members of it and have positive operators.
func (c *conditions) judged(filters []query.Filter) string {
	before := c.clone()
	list, within, sided := []string{"true"}, "", false
	for _, f := range filters {
		sided = sided || f.Field.Output == query.JudgedGood
		if f.Field.Output == query.JudgedTime {
			bound, _ := f.Whole() // it was validated
			within += "e.ended" + comparison(f.Operator) + c.arg(bound) + "::BIGINT AND "
		} else {
			condition := columnOperand(judgedColumns[f.Field.Output]).test(c, f)
			if condition == "" {
				*c = before // the engine refuses arguments that are not used
				return ""
			}
			list = append(list, "("+condition+")")
		}
		switch {
		case !utf8.ValidString(f.Field.Name): // stored texts are UTF-8
			*c = before
			return ""
		case f.Field.Name != "":
			list = append(list, "j.evaluator = "+c.bind(f.Field.Name))
		}
	}
	if sided {
		return "s.seq IN (SELECT e.seq FROM evaluations e JOIN " + sidedJudgements + " j ON j.id = e.judgement WHERE " + within + strings.Join(list, " AND ") + ")"
	}
	return "s.seq IN (SELECT e.seq FROM evaluations e WHERE " + within + "e.judgement IN (SELECT j.id FROM judgements j WHERE " + strings.Join(list, " AND ") + "))"
}
