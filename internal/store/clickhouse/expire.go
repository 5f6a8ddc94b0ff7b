// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Expire implements store.Engine: it drops the partitions whose period is over.
func (db *DB) Expire(ctx context.Context, now time.Time) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, t := range tables {
		var over []uint32
		err := db.each(ctx, "list partitions", "SELECT DISTINCT toUInt32(partition) FROM "+db.system("parts")+" WHERE database = "+sqltext.Literal(db.database)+" AND table = '"+db.stored(t.name)+"' AND active",
			func(scan func(into ...any) error) error {
				var part uint32
				err := scan(&part)
				if int64(periods.EndOf(part)) < now.Unix() {
					over = append(over, part)
				}
				return err
			})
		if err != nil {
			return err
		}
		for _, part := range over {
			if err := db.conn.Exec(ctx, "ALTER TABLE "+db.stored(t.name)+db.everywhere()+" DROP PARTITION "+strconv.FormatUint(uint64(part), 10)); err != nil {
				return faults.Of("drop a partition", err)
			}
		}
	}
	return nil
}

// Delete implements store.Engine: the rows are gone from all parts when it returns.
// The server deletes the files of the parts before a few minutes later.
func (db *DB) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if of.Everything {
		for _, t := range tables {
			if err := db.conn.Exec(ctx, "ALTER TABLE "+db.stored(t.name)+db.everywhere()+" DELETE WHERE env = "+sqltext.Literal(string(env))); err != nil {
				return faults.Of("remove an environment", err)
			}
		}
		return nil
	}
	for part := range slices.Chunk(of.Spans, mostDeleted) {
		all := make([]store.Owner, len(part))
		for i, k := range part {
			all[i] = store.Location{Environment: env, Span: k}.Owner()
		}
		for _, t := range tables {
			which := sqltext.Among(all)
			if t.name == messagesTable { // which knows no start of the span
				which = sqltext.AmongIDs(all)
			}
			if err := db.conn.Exec(ctx, "ALTER TABLE "+db.stored(t.name)+db.everywhere()+" DELETE WHERE env = "+sqltext.Literal(string(env))+" AND "+which); err != nil {
				return faults.Of("delete spans", err)
			}
		}
	}
	return nil
}

// mostDeleted is how many spans one statement deletes: it lies in the server's
// memory, and its disk, until it is done.
const mostDeleted = 10_000
