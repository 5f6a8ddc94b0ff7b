// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/totals"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// source is what queries select from: spans of a period, each with the evaluations
// that count and the messages that came apart, as far as these are looked at.
type source struct {
	where     string // which rows of spans
	among     string // the condition that a span is one of those that are known, "" where none are
	lateWhere string // which rows of evaluations that came later
	// evaluations are the columns of evaluations that are looked at, in the order
	// in which tuples have them. Empty: evaluations are not looked at.
	evaluations []string
	verdicts    []string // texts of verdicts, which are the columns verdict_0 and so on
	beside
}

// beside is what an environment has in other tables than that of spans. There is most
// often nothing, and then nothing is joined.
type beside struct {
	late     bool   // evaluations that came later
	messages string // which rows of messages; "" where there are none
}

// besideOf looks for what an environment has in other tables than that of spans.
func (db *DB) besideOf(ctx context.Context, env tenant.EnvironmentID) (beside, error) {
	b, _, err := db.besideAndParts(ctx, env, false)
	return b, err
}

// besideRow is a row of another table, or a part of the table of spans.
type besideRow struct {
	totals.Part
	what uint8
}

const (
	rowOfMessages = iota
	rowOfLate
	rowOfSpansPart
)

var besideColumns = []column[besideRow]{
	field("what", "UInt8", func(r *besideRow) *uint8 { return &r.what }),
	text("part_name", func(r *besideRow) *string { return &r.Name }),
	text("hash", func(r *besideRow) *string { return &r.Hash }),
}

// besideAndParts looks for what an environment has in other tables and, with the same statement,
// which parts the table of spans has; nil if that is not asked for, or the user may not see it.
func (db *DB) besideAndParts(ctx context.Context, env tenant.EnvironmentID, withParts bool) (b beside, parts []totals.Part, err error) {
	where := "env = " + sqltext.Literal(string(env))
	statement := "SELECT " + names(besideColumns) + " FROM (SELECT toUInt8(0) AS what, '' AS part_name, '' AS hash FROM " + messagesTable + " WHERE " + where +
		" LIMIT 1 UNION ALL SELECT toUInt8(1), '', '' FROM " + lateTable + " WHERE " + where + " LIMIT 1"
	if withParts = withParts && db.cfg.Cluster == "" && !db.partsDenied.Load(); withParts {
		statement += " UNION ALL SELECT toUInt8(2), name, hash_of_all_files FROM system.parts WHERE database = currentDatabase() AND table = '" + spansTable + "' AND active"
		parts = []totals.Part{}
	}
	found, err := rows(ctx, db, "look for evaluations and messages", besideColumns, statement+")")
	if withParts && faults.Denied(err) {
		db.partsDenied.Store(true)
		return db.besideAndParts(ctx, env, false)
	}
	for _, r := range found {
		switch r.what {
		case rowOfMessages:
			b.messages = where
		case rowOfLate:
			b.late = true
		case rowOfSpansPart:
			parts = append(parts, r.Part)
		}
	}
	return b, parts, err
}

// evaluation returns the column of an evaluation that is called e in a statement.
func (s *source) evaluation(name string) string {
	i := slices.Index(s.evaluations, name)
	if i < 0 {
		i = len(s.evaluations)
		s.evaluations = append(s.evaluations, name)
	}
	return "e." + strconv.Itoa(i+1)
}

// verdict returns the column of a text that is worked out of evs.
func (s *source) verdict(text string) string {
	i := slices.Index(s.verdicts, text)
	if i < 0 {
		i = len(s.verdicts)
		s.verdicts = append(s.verdicts, text)
	}
	return "verdict_" + strconv.Itoa(i)
}

// withEvaluations has the source give the evaluations, as the array evs. Where some came
// later the first two columns say whose they are.
func (s *source) withEvaluations() {
	if s.late {
		s.evaluation("setup")
	}
	s.evaluation("evaluator")
}

// isOneRow reports whether all that is looked at of a span is in its row.
func (s *source) isOneRow() bool {
	return s.messages == "" && (!s.late || len(s.evaluations) == 0)
}

// from returns what follows FROM, with the columns of spans and evs, own_prompts and
// own_completions.
func (s *source) from() string { return "(" + s.inner(" FINAL") + ")" }

func (s *source) inner(final string) string {
	return "SELECT " + strings.Join(append(slices.Clone(plainColumns), s.made()...), ", ") + " FROM " + s.joined(final)
}

// selecting returns the statement for expressions of the columns that from has, which goes on
// with further conditions, each behind an AND. final is " FINAL", or "" for all versions of rows
// that are not merged yet.
//
// Where all is in one row it is a statement of the table and not of a query within it: of an
// order the server then reads what is not sorted by of the rows that it answers alone.
func (s *source) selecting(exprs, final string) string {
	if s.isOneRow() {
		return "WITH " + strings.Join(s.made(), ", ") + " SELECT " + exprs + " FROM " + s.joined(final)
	}
	return "SELECT " + exprs + " FROM (" + s.inner(final) + ") WHERE 1"
}

// made returns the columns that are not of the table, with their names.
func (s *source) made() (list []string) {
	for side, name := range [...]string{sidePrompts: "prompts", sideCompletions: "completions"} {
		if s.messages == "" {
			list = append(list, "s."+name+" AS own_"+name)
		} else {
			list = append(list, "if(empty(mapKeys(s."+name+")), m"+strconv.Itoa(side)+".apart, s."+name+") AS own_"+name)
		}
	}
	if len(s.evaluations) > 0 {
		list = append(list, s.list()+" AS evs")
	}
	for i, text := range s.verdicts {
		list = append(list, text+" AS verdict_"+strconv.Itoa(i))
	}
	return list
}

// joined returns what follows FROM: the spans as s, and the other tables that the query reads.
func (s *source) joined(final string) string {
	among := ""
	if s.among != "" {
		among = " PREWHERE " + s.among
	}
	if s.isOneRow() {
		return spansTable + " AS s" + final + among + " WHERE " + s.where
	}
	from := "(SELECT * FROM " + spansTable + final + among + " WHERE " + s.where + ") AS s"
	if len(s.evaluations) > 0 && s.late {
		from += " LEFT JOIN (SELECT env, bucket, trace, id, digest, groupArray((setup, evaluator)) AS others, arraySort(e -> (e.1, e.2), groupArray((" +
			strings.Join(s.evaluations, ", ") + "))) AS list FROM " + lateTable + " FINAL" + among + " WHERE " + s.lateWhere +
			" GROUP BY env, bucket, trace, id, digest) AS l" +
			" ON s.env = l.env AND s.bucket = l.bucket AND s.trace = l.trace AND s.id = l.id AND s.digest = l.digest"
	}
	if s.messages == "" {
		return from
	}
	for side := range [...]string{sidePrompts: "", sideCompletions: ""} {
		n := strconv.Itoa(side)
		from += " LEFT JOIN (SELECT env, trace, id, mapFromArrays(groupArray(key), groupArray(value)) AS apart FROM " + messagesTable +
			" FINAL WHERE " + s.messages + " AND side = " + n + " GROUP BY env, trace, id) AS m" + n +
			" ON s.env = m" + n + ".env AND s.trace = m" + n + ".trace AND s.id = m" + n + ".id"
	}
	return from
}

// list returns the evaluations that count.
func (s *source) list() string {
	arrays := make([]string, len(s.evaluations))
	for i, name := range s.evaluations {
		arrays[i] = "s." + arrayPrefix + name
	}
	if !s.late {
		return "arrayZip(" + strings.Join(arrays, ", ") + ")"
	}
	return "arrayConcat(arrayFilter(e -> NOT has(l.others, (e.1, e.2)), arrayZip(" + strings.Join(arrays, ", ") + ")), l.list)"
}

// plainColumns are those of spans that are no arrays, for SELECT: of several tables
// the columns of "s.*" would have other names.
var plainColumns = func() (list []string) {
	for _, c := range spanColumns {
		if !strings.HasPrefix(c.name, arrayPrefix) {
			list = append(list, "s."+c.name+" AS "+c.name)
		}
	}
	return list
}()
