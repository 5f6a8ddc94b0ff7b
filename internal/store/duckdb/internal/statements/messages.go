// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// messagesOperand is prompts or completions: one entry of them, or any. Where a
// span has none of its own, the messages that came apart from it count. Rows of format 1
// have their texts themselves; others have the ids of texts, and which of those satisfy a
// filter is asked of the texts.
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

// ids is the column of the ids of texts.
func (o messagesOperand) ids() string { return strings.TrimSuffix(o.list, "s") + "_texts" }

// exist is the condition that a span has messages of its own.
func (o messagesOperand) exist() string {
	return "(len(s." + o.list + ") > 0 OR len(s." + o.ids() + ") > 0)"
}

func (o messagesOperand) test(c *conditions, f query.Filter) string {
	own := o.own(c, f)
	if !c.stored || o.impossible(f) {
		return own
	}
	if own == "" { // of what this partition has
		own = "false"
	}
	return "CASE WHEN " + o.exist() + " THEN " + own +
		" ELSE (s.trace_hi, s.trace_lo, s.span_id) IN (SELECT (trace_hi, trace_lo, span_id) FROM temp." + c.apart(o, f) + ") END"
}

// impossible reports whether no text satisfies a filter.
func (o messagesOperand) impossible(f query.Filter) bool {
	return !utf8.ValidString(o.key) || f.Operator != query.OpExists && (&conditions{}).compareText("v", f) == ""
}

// own returns the condition on the span's own messages.
func (o messagesOperand) own(c *conditions, f query.Filter) string {
	if o.impossible(f) {
		return ""
	}
	if c.in == nil {
		c.varies = true
		return o.inline(c, f)
	}
	if o.key == "" && f.Operator == query.OpExists {
		return o.exist()
	}
	homes := c.in.homes()
	var parts []string
	if homes.inline {
		parts = append(parts, o.inline(c, f))
	}
	if homes.shared {
		if condition := o.shared(c, f); condition != "" {
			parts = append(parts, condition)
		}
	}
	if len(parts) == 2 {
		return "(" + parts[0] + " OR " + parts[1] + ")"
	}
	return strings.Join(parts, "")
}

// inline returns the condition on messages in the row itself.
func (o messagesOperand) inline(c *conditions, f query.Filter) string {
	if o.key != "" {
		return c.compareText("s."+o.list+"["+o.at(c)+"]", f)
	}
	if f.Operator == query.OpExists {
		return o.exist()
	}
	return "len(list_filter(s." + o.list + ", lambda v: " + c.compareText("v", f) + ")) > 0"
}

// at returns where the entry of a key is in the lists of a row.
func (o messagesOperand) at(c *conditions) string {
	return c.join("m", "message "+o.key, func(name string) string {
		return "LEFT JOIN (SELECT id, list_position(kept0, " + c.bind(o.key) + ") AS at FROM shapes) " + name +
			" ON " + name + ".id = s." + o.shape()
	}) + ".at"
}
