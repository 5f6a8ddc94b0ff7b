// SPDX-License-Identifier: Apache-2.0

// Package index is what a partition that takes in no more spans has in addition to its
// rows, in tables of its file, so that a filter reads a few blocks instead of every
// list of every row:
//
//   - tokens, sorted: a number for each span's attribute and its value
//   - verdicts, sorted: the latest verdict of each output on each span
//   - gone: spans that were deleted since
//   - indexed: one row once the others are made
//   - spans_seq: an index of the engine's own on the seq of spans, by which it finds a
//     row that lies alone without decoding those around it
//   - texts_id: the same on the id of texts
//
// Numbers are made by the engine's own hash function; an index that another one
// made is not used.
package index

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// Longest is the number of bytes above which a value is not in the index. Filters
// that ask for such a one look at the rows.
const Longest = 128

// long stands for a text of an output that is longer than Longest.
const long = "\x01long"

// Version is that of the numbers in an index: one with others is made again.
const Version = 2

// probe is a hash that tells hash functions and versions apart.
var probe = "hash('touchstone', 'index " + strconv.Itoa(Version) + "')"

// Tables are those of the index. A copy of a partition has none of their rows: its
// index is made again.
var Tables = []string{"tokens", "verdicts", "gone", "indexed"}

// Renewed returns the statement that makes the verdicts of spans again after their
// evaluations changed, in the file that is attached under the name catalog.
func Renewed(catalog string, seqs []int64) string {
	list := sqltext.Numbers(seqs)
	qualified := strings.NewReplacer(
		"INTO verdicts", "INTO "+catalog+".verdicts", "FROM verdicts", "FROM "+catalog+".verdicts", "FROM judgements", "FROM "+catalog+".judgements",
		"FROM evaluations", "FROM "+catalog+".evaluations", "JOIN spans", "JOIN "+catalog+".spans",
	)
	statements := append([]string{"DELETE FROM verdicts WHERE seq IN (" + list + ")"}, verdicts(everyField, "e.seq IN ("+list+") AND s.seq IN ("+list+")")...)
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
