// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// insertion is where rows are inserted.
type insertion[R any] struct {
	name    string
	columns []column[R]
	free    sync.Pool // of blocks, whose memory is used again
}

var (
	intoSpans        = &insertion[spanRow]{name: spansTable, columns: spanColumns}
	intoLate         = &insertion[lateRow]{name: lateTable, columns: lateColumns}
	intoPredecessors = &insertion[lateRow]{name: predecessorsTable, columns: lateColumns}
	intoMessages     = &insertion[messageRow]{name: messagesTable, columns: messageColumns}
)

// tries are how often an insert is sent: one that failed may have arrived, and
// sending the same rows again changes nothing.
const tries = 3

// insert writes rows into a table.
func insert[R any](ctx context.Context, db *DB, into *insertion[R], list []*R) error {
	if len(list) == 0 {
		return nil
	}
	b, _ := into.free.Get().(*block[R])
	if b == nil {
		b = newBlock(into.columns)
	}
	defer into.free.Put(b)
	if err := b.fill(list); err != nil {
		return err
	}
	for try := 1; ; try++ {
		begun := time.Now()
		err := send(ctx, db, into.name, b)
		db.inserts.note(len(list), begun, err)
		if err == nil || try == tries || fault.KindOf(err) != fault.Unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * 200 * time.Millisecond):
		}
	}
}

// send sends a block once.
func send[R any](ctx context.Context, db *DB, into string, b *block[R]) error {
	ctx = driver.Context(ctx, driver.WithColumnNamesAndTypes(types(b.columns))) // which are not asked for then
	batch, err := db.conn.PrepareBatch(ctx, "INSERT INTO "+into+" ("+names(b.columns)+")")
	if err != nil {
		return faults.Of("store rows", err)
	}
	defer batch.Close() //nolint:errcheck // it was sent, or is given up
	for i, c := range batch.Columns() {
		if err := b.decode(i, c); err != nil {
			return faults.Of("store rows", err)
		}
	}
	if err := batch.Send(); err != nil {
		return faults.Of("store rows", err)
	}
	return nil
}

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
	return db.number(ctx, "count parts", "SELECT toInt64(max(n)) FROM (SELECT count() AS n FROM "+db.system("parts")+" WHERE database = "+sqltext.Literal(db.database)+" AND active GROUP BY hostName(), table, partition)")
}
