// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
)

// A granule is what is read at least of a column, to have one row of it. Rows of spans have
// kilobytes, and those of a page lie apart: the newest of ten minutes, or of many traces. So
// granules of spans are much smaller than the 8,192 rows that are usual.
// https://clickhouse.com/docs/guides/best-practices/sparse-primary-indexes

// fineGranules is the setting of the table of spans. It cannot be changed in a table that
// is there.
const fineGranules = "index_granularity = 256"

// coarseTable is what the table of spans is called that had granules of the usual size,
// until all that is in it is in the other.
const coarseTable = "spans_coarse"

// coarseKept is how long the table is there at least: inserts that began before it was
// renamed are over by then, and what they wrote was moved.
const coarseKept = 10 * time.Minute

// refineTries bound how often it is looked what is to do next: several processes do it.
const refineTries = 10

// refine gives the table of spans of an earlier release finer granules: another table takes
// its name, and its parts are moved there as they are. They have finer granules when
// they are merged. In a cluster, where tables are found by the paths of their replicas,
// a table stays what it is.
func (db *DB) refine(ctx context.Context) (err error) {
	if db.cfg.Cluster != "" {
		return nil
	}
	for range refineTries {
		fine, coarse := false, false
		if fine, coarse, err = db.granules(ctx); err != nil {
			return err
		}
		switch {
		case fine && !coarse:
			return nil
		case fine:
			err = db.moveCoarse(ctx, coarseKept)
		case coarse: // of a rename that was half done by hand
			return fault.New(fault.Invalid, "the database has both tables %s and %s: rename or drop the first", coarseTable, spansTable)
		default:
			err = db.exchangeSpans(ctx)
		}
		if err == nil && fine {
			return nil
		}
	}
	return err
}

// granules reports whether the table of spans has fine granules, and whether there is one
// that had not.
func (db *DB) granules(ctx context.Context) (fine, coarse bool, err error) {
	err = db.each(ctx, "look at the tables", "SELECT name, position(engine_full, '"+fineGranules+"') > 0 FROM system.tables WHERE database = currentDatabase() AND name IN ('"+
		spansTable+"', '"+coarseTable+"')", func(scan func(into ...any) error) error {
		var name string
		var has uint8
		err := scan(&name, &has)
		coarse = coarse || name == coarseTable
		fine = fine || name == spansTable && has != 0
		return err
	})
	return fine, coarse, err
}

// exchangeSpans has an empty table with fine granules take the name of that of spans. Who
// writes meanwhile writes to the one or the other.
func (db *DB) exchangeSpans(ctx context.Context) error {
	const next = "spans_fine"
	statement := "CREATE TABLE IF NOT EXISTS " + next + " AS " + spansTable + db.engineOf(spansTable)
	for _, s := range []string{statement, "RENAME TABLE " + spansTable + " TO " + coarseTable + ", " + next + " TO " + spansTable} {
		if err := db.conn.Exec(ctx, s); err != nil {
			return faults.Refusal(err)
		}
	}
	return nil
}

// moveCoarse moves the rows of the earlier table, and drops it if it had none any more and
// is as old as that.
func (db *DB) moveCoarse(ctx context.Context, kept time.Duration) error {
	// To be moved the tables have the same columns.
	if err := db.conn.Exec(ctx, "ALTER TABLE "+coarseTable+" ADD COLUMN IF NOT EXISTS "+foldedColumn+" "+foldedCodec); err != nil {
		return faults.Refusal(err)
	}
	for _, s := range db.addColumn(spansTable, foldedColumn, foldedCodec) {
		if err := db.conn.Exec(ctx, s); err != nil {
			return faults.Refusal(err)
		}
	}
	var partitions []uint32
	err := db.each(ctx, "list partitions", "SELECT DISTINCT toUInt32(partition) FROM system.parts WHERE database = currentDatabase() AND table = '"+coarseTable+"' AND active AND rows > 0",
		func(scan func(into ...any) error) error {
			var part uint32
			err := scan(&part)
			partitions = append(partitions, part)
			return err
		})
	if err != nil {
		return err
	}
	for _, part := range partitions {
		if err := db.conn.Exec(ctx, "ALTER TABLE "+coarseTable+" MOVE PARTITION "+strconv.FormatUint(uint64(part), 10)+" TO TABLE "+spansTable); err != nil {
			return faults.Refusal(err)
		}
	}
	age, err := db.number(ctx, "look at the tables", "SELECT dateDiff('second', metadata_modification_time, now()) FROM system.tables WHERE database = currentDatabase() AND name = '"+coarseTable+"'")
	if err != nil || len(partitions) > 0 || age < int64(kept/time.Second) {
		return err
	}
	if err := db.conn.Exec(ctx, "DROP TABLE IF EXISTS "+coarseTable); err != nil {
		return faults.Refusal(err)
	}
	return nil
}
