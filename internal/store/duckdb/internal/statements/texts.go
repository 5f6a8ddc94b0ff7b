// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"database/sql"
	"regexp"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// homes are where a partition has the texts of messages: in rows of spans, in its texts,
// or in both. Those below mixed are in the column text, whichever they are of.
type homes struct {
	inline, shared bool
	mixed          int64
}

func (v *visit) homes() (h homes) {
	if v.texts != nil {
		return *v.texts
	}
	if x, found := v.recall.Get("texts", "", 0); found && v.indexed { // it takes in no more spans
		h, _ = x.(homes)
		return h
	}
	v.ask("SELECT coalesce(max(below), 0) > 0, coalesce(max(mixed), 0), EXISTS (SELECT 1 FROM texts) FROM inline", nil, &h.inline, &h.mixed, &h.shared)
	v.texts = &h
	if v.indexed && v.err == nil {
		v.recall.Put("texts", "", 0, h, 0)
	}
	return h
}

// fewTexts is up to how many texts are looked at one by one.
const fewTexts = 4096

// shared returns the condition on messages whose texts are kept once: which texts
// satisfy the filter is found out first, of those that the asked spans have.
func (o messagesOperand) shared(c *conditions, f query.Filter) string {
	if o.key != "" && f.Operator == query.OpExists {
		return "s." + o.ids() + "[" + o.at(c) + "] IS NOT NULL"
	}
	var texts string
	few, are := c.in.usedTexts(o, c)
	if are {
		few = c.in.satisfying(o, few, f)
		if len(few) == 0 {
			return ""
		}
		texts = "SELECT unnest('[" + sqltext.Numbers(few) + "]'::BIGINT[])"
	} else {
		texts = c.in.looked(o, c, f)
	}
	if o.key != "" {
		return "s." + o.ids() + "[" + o.at(c) + "] IN (" + texts + ")"
	}
	return "s.seq IN (SELECT seq FROM (SELECT s.seq, unnest(s." + o.ids() + ") AS id FROM spans s WHERE " + c.in.asked(c.beside) + ") WHERE id IN (" + texts + "))"
}

// isWhole reports whether the time that the query asks for has all spans.
func (v *visit) isWhole() bool { return v.from <= v.first && v.last <= v.to }

// asked returns the condition on spans s that the query can mean: those of its
// environment and its time that satisfy what must hold besides.
func (v *visit) asked(beside []string) string {
	list := []string{"s.env = " + strconv.Itoa(int(v.code))}
	if !v.isWhole() {
		list = append(list, "s.start BETWEEN "+strconv.FormatInt(v.from, 10)+" AND "+strconv.FormatInt(v.to, 10))
	}
	return strings.Join(append(list, beside...), " AND ")
}

// usedTexts returns the texts that messages of the asked spans have, if they are few. They
// are counted only where that is likely.
func (v *visit) usedTexts(o messagesOperand, c *conditions) (ids []int64, are bool) {
	if o.key == "" && len(c.beside) == 0 {
		return nil, false
	}
	d := &conditions{}
	element, from := "unnest(s."+o.ids()+")", "spans s"
	if o.key != "" {
		element = "s." + o.ids() + "[" + o.at(d) + "]"
		from += " " + d.joins[0]
	}
	each := "SELECT " + element + " AS id FROM " + from + " WHERE " + v.asked(d.moved(c, c.beside))
	var some int64
	if v.ask("SELECT count(DISTINCT id) FROM ("+each+" LIMIT "+strconv.Itoa(2*fewTexts)+")", d.args, &some); some > fewTexts {
		return nil, false
	}
	ids = v.numbers("SELECT DISTINCT id FROM ("+each+") WHERE id IS NOT NULL LIMIT "+strconv.Itoa(fewTexts+1), d.args)
	return ids, len(ids) <= fewTexts
}

// satisfying returns which of some texts satisfy a filter.
func (v *visit) satisfying(o messagesOperand, ids []int64, f query.Filter) []int64 {
	if len(ids) == 0 {
		return nil
	}
	d := &conditions{}
	// Together with another condition the engine does not use the index.
	return v.numbers("WITH t AS MATERIALIZED (SELECT * FROM texts WHERE id IN ("+sqltext.Numbers(ids)+")) "+
		"SELECT id FROM t WHERE "+v.textIs(o, d, "", f), d.args)
}

// manySpans is from how many spans on all texts that lie between theirs are looked at,
// and not only theirs: to know which those are takes memory for each.
const manySpans = 100_000

// looked returns the statement of the ids of texts that satisfy a filter, which may be
// texts of other spans than those that are asked for, too.
func (v *visit) looked(o messagesOperand, c *conditions, f query.Filter) string {
	d := &conditions{}
	asked := v.asked(d.moved(c, c.beside))
	n := v.spans
	if n > manySpans {
		v.ask("SELECT count(*) FROM spans s WHERE "+asked, d.args, &n)
	}
	if n <= manySpans {
		// The text is compared behind the join, since the engine would do it before, and the
		// join lets it skip what is not between the first and the last.
		return "SELECT t.id FROM texts t JOIN (SELECT DISTINCT unnest(s." + o.ids() + ") AS id FROM spans s WHERE " + v.asked(c.beside) +
			") u ON u.id = t.id WHERE CASE WHEN u.id + t.id > 0 THEN " + v.textIs(o, c, "t.", f) + " END"
	}
	all := "SELECT id FROM texts WHERE "
	if !v.isWhole() || len(c.beside) > 0 {
		var first, last sql.NullInt64
		v.ask("SELECT min(list_min(s."+o.ids()+")), max(list_max(s."+o.ids()+")) FROM spans s WHERE "+asked, d.args, &first, &last)
		all += "id BETWEEN " + strconv.FormatInt(first.Int64, 10) + " AND " + strconv.FormatInt(last.Int64, 10) + " AND "
	}
	return all + v.textIs(o, c, "", f)
}

// textIs returns the condition that a row of texts, whose columns are qualified by a
// prefix, is a text that satisfies a filter.
func (v *visit) textIs(o messagesOperand, c *conditions, prefix string, f query.Filter) string {
	if o.list == "prompts" {
		return c.compareText(prefix+"text", f)
	}
	is := c.compareText(prefix+"completion", f)
	if n := v.homes().mixed; n > 0 {
		is = "(" + is + " OR " + prefix + "id < " + strconv.FormatInt(n, 10) + " AND " + c.compareText(prefix+"text", f) + ")"
	}
	return is
}

var argument = regexp.MustCompile(`\$\d+`)

// moved returns conditions of another statement with their arguments bound in c.
func (c *conditions) moved(from *conditions, list []string) []string {
	moved := make([]string, len(list))
	names := map[string]string{}
	for i, condition := range list {
		moved[i] = argument.ReplaceAllStringFunc(condition, func(name string) string {
			if names[name] == "" {
				n, _ := strconv.Atoi(name[1:])
				names[name] = c.arg(from.args[n-1])
			}
			return names[name]
		})
	}
	return moved
}

// ask reads the one row of a statement.
func (v *visit) ask(statement string, args []any, into ...any) {
	if v.err == nil {
		v.fail(v.q.Conn.QueryRowContext(v.ctx, statement, args...).Scan(into...))
	}
}

// numbers reads the numbers that a statement selects.
func (v *visit) numbers(statement string, args []any) (list []int64) {
	if v.err != nil {
		return nil
	}
	v.fail(v.q.Each(v.ctx, statement, args, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		list = append(list, n)
		return err
	}))
	return list
}
