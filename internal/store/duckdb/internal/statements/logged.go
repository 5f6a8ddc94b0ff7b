// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// messagesOperand is prompts or completions: one entry of them, or any. Where a
// span has none of its own, the messages that came apart from it count.
type messagesOperand struct {
	list string // the column: prompts or completions
	key  string // of one entry; "" is any
}

// message returns the operand of one entry of prompts or completions by its full
// key, and whether the key is one.
func (c *conditions) message(key string) (operand, bool) {
	switch {
	case strings.HasPrefix(key, "llm.prompts."):
		return messagesOperand{list: "prompts", key: key}, true
	case strings.HasPrefix(key, "llm.completions."):
		return messagesOperand{list: "completions", key: key}, true
	}
	return nil, false
}

func (o messagesOperand) shape() string { return strings.TrimSuffix(o.list, "s") + "_shape" }

func (o messagesOperand) test(c *conditions, f query.Filter) string {
	own := o.own(c, f)
	if own == "" || !c.stored {
		return own
	}
	table := "logged" + strconv.Itoa(c.tables)
	c.tables++
	c.logged = append(c.logged, loggedFilter{table: table, operand: o, filter: f})
	return "CASE WHEN len(s." + o.list + ") > 0 THEN " + own +
		" ELSE (s.trace_hi, s.trace_lo, s.span_id) IN (SELECT (trace_hi, trace_lo, span_id) FROM temp." + table + ") END"
}

// own returns the condition on the span's own messages.
func (o messagesOperand) own(c *conditions, f query.Filter) string {
	if o.key == "" {
		if f.Operator == query.OpExists {
			return "len(s." + o.list + ") > 0"
		}
		condition := c.compareText("v", f)
		if condition == "" {
			return ""
		}
		return "len(list_filter(s." + o.list + ", lambda v: " + condition + ")) > 0"
	}
	if !utf8.ValidString(o.key) {
		return ""
	}
	name := c.join("m", "message "+o.key, func(name string) string {
		return "LEFT JOIN (SELECT id, list_position(kept0, " + c.bind(o.key) + ") AS at FROM shapes) " + name +
			" ON " + name + ".id = s." + o.shape()
	})
	return c.compareText("s."+o.list+"["+name+".at]", f)
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
