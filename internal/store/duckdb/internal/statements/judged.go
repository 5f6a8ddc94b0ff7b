// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// judgedOperand is a text that evaluations of a span have, of any status: of one
// evaluator, or of all.
type judgedOperand query.Field

// judgedColumns says where the members are.
var judgedColumns = map[string]string{
	query.JudgedStatus: "j.status", query.JudgedReason: "j.reason", query.JudgedBackend: "j.backend", query.JudgedSetup: "j.setup",
}

func (o judgedOperand) test(c *conditions, f query.Filter) string {
	if !utf8.ValidString(o.Name) {
		return ""
	}
	condition := columnOperand(judgedColumns[o.Output]).test(c, f)
	if condition == "" {
		return ""
	}
	if o.Name != "" {
		condition = "(" + condition + ") AND j.evaluator = " + c.bind(o.Name)
	}
	return "s.seq IN (SELECT e.seq FROM evaluations e WHERE e.judgement IN (SELECT j.id FROM judgements j WHERE " + condition + "))"
}
