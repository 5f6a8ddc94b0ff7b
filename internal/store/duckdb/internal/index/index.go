// SPDX-License-Identifier: Apache-2.0

// Package index is what a partition that takes in no more spans has beside its
// rows, in tables of its file, so that a filter reads a few blocks instead of every
// list of every row:
//
//   - tokens, sorted: a number for each span's attribute and its value
//   - verdicts, sorted: the latest verdict of each output on each span
//   - gone: spans that were deleted since
//   - indexed: one row once the others are made
//   - spans_seq: an index of the engine's own on the seq of spans, by which it finds a
//     row that lies alone without decoding those around it
//
// Numbers are made by the engine's own hash function; an index that another one
// made is not used.
package index

import (
	"context"
	"database/sql"
	_ "embed"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Longest is the number of bytes above which a value is not in the index. Filters
// that ask for such a one look at the rows.
const Longest = 128

// long stands for a text of an output that is longer than Longest.
const long = "\x01long"

var (
	//go:embed sql/tokens.sql
	tokensSQL string
	//go:embed sql/verdicts.sql
	verdictsSQL string
)

// Version is that of the numbers in an index: one with others is made anew.
const Version = 2

// probe is a hash that tells hash functions and versions apart.
var probe = "hash('touchstone', 'index " + strconv.Itoa(Version) + "')"

// Tables are those of the index. A copy of a partition has none of their rows: its
// index is made anew.
var Tables = []string{"tokens", "verdicts", "gone", "indexed"}

// Statements return those that make the index of the partition that the connection
// uses, in the caller's transaction. Each takes the memory of one sort.
func Statements() []string {
	var list []string
	for _, t := range Tables {
		list = append(list, "DELETE FROM "+t)
	}
	for i := range tables.Lists {
		list = append(list, strings.NewReplacer("LIST", strconv.Itoa(i), "LONGEST", strconv.Itoa(Longest)).Replace(tokensSQL))
	}
	list = append(list, verdicts("true")...)
	return append(list, "CREATE INDEX IF NOT EXISTS spans_seq ON spans (seq)", "INSERT INTO indexed SELECT "+probe)
}

// verdicts returns the statements that add the verdicts of some evaluations e: those
// of outputs that one setup asks for, and others.
func verdicts(some string) []string {
	number := "CASE"
	for _, kind := range []string{"i", "f", "b", "s"} {
		number += " WHEN kind = '" + kind + "' THEN " + tables.SortedNumber("v", kind)
	}
	list := make([]string, 2)
	for i, kind := range []struct{ shared, latest string }{
		{"NOT IN", "said"},
		{"IN", "(SELECT field, arg_max(kind, age) AS kind, arg_max(v, age) AS v, seq FROM " +
			"(SELECT *, ended::HUGEINT * 4611686018427387904 + n AS age FROM said) GROUP BY field, seq)"},
	} {
		list[i] = strings.NewReplacer("SOME", some, "ASNUMBER", number+" END", "LONGEST", strconv.Itoa(Longest),
			"SHARED", kind.shared, "LATEST", kind.latest).Replace(verdictsSQL)
	}
	return list
}

// Renewed returns the statement that makes the verdicts of spans anew after their
// evaluations changed, in the file that is attached under the name catalog.
func Renewed(catalog string, seqs []int64) string {
	list := sqltext.Numbers(seqs)
	qualified := strings.NewReplacer(
		"INTO verdicts", "INTO "+catalog+".verdicts", "FROM verdicts", "FROM "+catalog+".verdicts", "FROM judgements", "FROM "+catalog+".judgements",
		"FROM evaluations", "FROM "+catalog+".evaluations", "JOIN spans", "JOIN "+catalog+".spans",
	)
	statements := append([]string{"DELETE FROM verdicts WHERE seq IN (" + list + ")"}, verdicts("e.seq IN ("+list+") AND s.seq IN ("+list+")")...)
	return qualified.Replace(strings.Join(statements, "; "))
}

// Gone returns the statement that notes the deletion of spans, given as a list of
// numbers, from the file that is attached under the name catalog.
func Gone(catalog, list string) string {
	return "INSERT INTO " + catalog + ".gone SELECT unnest([" + list + "]::BIGINT[])"
}

// State is what there is of an index.
type State struct {
	Made bool
	Gone int64 // spans that were deleted since
}

// Look returns the state of the index of the partition that the connection uses.
func Look(ctx context.Context, conn *sql.Conn) (s State, err error) {
	err = conn.QueryRowContext(ctx, "SELECT (SELECT count(*) > 0 FROM indexed WHERE probe = "+probe+"), (SELECT count(*) FROM gone)").
		Scan(&s.Made, &s.Gone)
	return s, err
}
