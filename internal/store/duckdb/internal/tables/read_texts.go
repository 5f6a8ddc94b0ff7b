// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// readTexts fills in the texts of messages of rows, each of which is read once.
func readTexts(ctx context.Context, conn *sql.Conn, rows []*SpanRow, indexed bool) error {
	var ids []int64
	for _, x := range rows {
		ids = append(append(ids, x.promptIDs...), x.completionIDs...)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	textOf := make(map[int64]string, len(ids))
	err := Each(ctx, conn, textsStatement(ids, indexed), nil, func(r *sql.Rows) error {
		var id int64
		var text string
		err := r.Scan(&id, &text)
		textOf[id] = text
		return err
	})
	if err != nil {
		return err
	}
	if len(textOf) < len(ids) {
		return fmt.Errorf("%d of %d texts of messages are not in the file", len(ids)-len(textOf), len(ids))
	}
	for _, x := range rows {
		x.promptTexts = textsOf(textOf, x.promptIDs, x.promptTexts)
		x.completionTexts = textsOf(textOf, x.completionIDs, x.completionTexts)
	}
	return nil
}

// textsOf returns the texts that have some ids; without ids those of the row itself.
func textsOf(textOf map[int64]string, ids Numbers, own Texts) Texts {
	if len(ids) == 0 {
		return own
	}
	list := make(Texts, len(ids))
	for i, id := range ids {
		list[i] = textOf[id]
	}
	return list
}

// textRuns is how many runs of texts a statement names at most, each of which the engine
// looks up by itself, and textGap is how many rows between two texts are passed over
// rather than beginning another.
const (
	textRuns = 32
	textGap  = 2 * vectorRows
)

// textsStatement returns the statement that reads texts by their ids, which ascend. Those
// that lie apart are found by the index if there is one. Without it, the engine looks at
// the ids of every text between the first and the last, which is why those that lie
// together are asked for together.
func textsStatement(ids []int64, indexed bool) string {
	const read = "SELECT id, text || coalesce(completion, '') FROM texts WHERE id" // the one or the other
	if indexed && apart(ids) {
		return read + " IN (" + sqltext.Numbers(ids) + ")" // any other condition makes the engine scan
	}
	runs := runsOf(ids)
	if len(runs) > textRuns {
		runs = [][]int64{ids}
	}
	list := make([]string, len(runs))
	for i, run := range runs {
		first, last := strconv.FormatInt(run[0], 10), strconv.FormatInt(run[len(run)-1], 10)
		switch {
		case len(run) == 1:
			list[i] = read + " = " + first
		case run[len(run)-1]-run[0] == int64(len(run)-1):
			list[i] = read + " BETWEEN " + first + " AND " + last
		default:
			list[i] = read + " BETWEEN " + first + " AND " + last + " AND id IN (SELECT unnest('[" + sqltext.Numbers(run) + "]'::BIGINT[]))"
		}
	}
	return strings.Join(list, " UNION ALL ")
}

// runsOf divides ids, which ascend, where many are between two.
func runsOf(ids []int64) (runs [][]int64) {
	from := 0
	for i := 1; i <= len(ids); i++ {
		if i == len(ids) || ids[i]-ids[i-1] > textGap {
			runs = append(runs, ids[from:i])
			from = i
		}
	}
	return runs
}
