// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"sync/atomic"
	"time"
)

// Inserts is what came of inserts since the start.
type Inserts struct {
	Sent, Failed int64         // how many, tries counted each
	Rows         int64         // in those that did not fail
	Took         time.Duration // all of them together
}

// inserts counts them.
type inserts struct{ sent, failed, rows, took atomic.Int64 }

func (i *inserts) note(rows int, begun time.Time, err error) {
	i.sent.Add(1)
	i.took.Add(int64(time.Since(begun)))
	if err != nil {
		i.failed.Add(1)
		return
	}
	i.rows.Add(int64(rows))
}

// Inserts returns what came of inserts since the start.
func (db *DB) Inserts() Inserts {
	i := &db.inserts
	return Inserts{Sent: i.sent.Load(), Failed: i.failed.Load(), Rows: i.rows.Load(), Took: time.Duration(i.took.Load())}
}

// Parts returns how many parts the partition has that has most of them: the server
// merges them, and where it does not come up with that it slows inserts down, and
// refuses them in the end.
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#parts_to_delay_insert
func (db *DB) Parts(ctx context.Context) (int64, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	return db.number(ctx, "count parts", "SELECT toInt64(max(n)) FROM (SELECT count() AS n FROM system.parts WHERE database = currentDatabase() AND active GROUP BY table, partition)")
}
