// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// apart notes a filter on messages that came apart from their spans, and returns the
// table of the spans whose messages pass.
func (c *conditions) apart(o messagesOperand, f query.Filter) string {
	table := "logged" + strconv.Itoa(c.tables)
	c.tables++
	c.logged = append(c.logged, loggedFilter{table: table, operand: o, filter: f})
	return table
}

// loggedFilter is a filter on messages that came apart from their spans: the
// ids of the spans that pass go into a temporary table.
type loggedFilter struct {
	table   string
	operand messagesOperand
	filter  query.Filter
}

// prepare makes the table from what the partitions within have of the environment. Of
// equal keys of one span, the entry that happened last counts: of each partition
// it is noted whether its last one passes, and then which of those was last.
func (l loggedFilter) prepare(ctx context.Context, q *partitions.Querier, within []partitions.Held) error {
	all := "temp." + l.table + "_all"
	if err := q.MakeTemp(ctx, l.table+"_all", "(trace_hi BIGINT, trace_lo BIGINT, span_id BIGINT, k VARCHAR, happened BIGINT, serial BIGINT, n BIGINT, passes BOOLEAN)"); err != nil {
		return err
	}
	for _, h := range within {
		if h.Messages == 0 {
			continue
		}
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		statement, args := l.statement(all, h)
		if _, err := q.Conn.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
	}
	return q.MakeTemp(ctx, l.table, "AS SELECT DISTINCT trace_hi, trace_lo, span_id FROM (SELECT trace_hi, trace_lo, span_id, "+
		"arg_max(passes, (happened, serial, n)) AS passes FROM "+all+" GROUP BY trace_hi, trace_lo, span_id, k) WHERE passes")
}

// statement puts the last entry of each key in one partition into a table, and
// whether it passes.
func (l loggedFilter) statement(into string, h partitions.Held) (string, []any) {
	keys := strings.TrimSuffix(l.operand.list, "s") + "_keys"
	c := &conditions{}
	wanted := ""
	if l.operand.key != "" {
		wanted = " WHERE k = " + c.bind(l.operand.key)
	}
	condition := c.compareText("v", l.filter)
	return "INSERT INTO " + into + " SELECT trace_hi, trace_lo, span_id, k, (last).happened, " + strconv.FormatInt(h.Serial, 10) + ", (last).n, coalesce(" + condition + ", false) FROM (" +
		"SELECT trace_hi, trace_lo, span_id, k, arg_max(v, (happened, n)) AS v, max({'happened': happened, 'n': n}) AS last FROM (" +
		"SELECT trace_hi, trace_lo, span_id, happened, rowid AS n, unnest(" + keys + ") AS k, unnest(" + l.operand.list + ") AS v " +
		"FROM messages WHERE env = " + strconv.Itoa(int(h.Code)) + ")" + wanted + " GROUP BY trace_hi, trace_lo, span_id, k)", c.args
}
