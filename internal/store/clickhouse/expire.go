// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
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
		err := db.each(ctx, "list partitions", "SELECT DISTINCT toUInt32(partition) FROM system.parts WHERE database = currentDatabase() AND table = '"+t.name+"' AND active",
			func(scan func(into ...any) error) error {
				var part uint32
				err := scan(&part)
				if int64(endOf(part)) < now.Unix() {
					over = append(over, part)
				}
				return err
			})
		if err != nil {
			return err
		}
		for _, part := range over {
			if err := db.conn.Exec(ctx, "ALTER TABLE "+t.name+" DROP PARTITION "+strconv.FormatUint(uint64(part), 10)); err != nil {
				return db.fault("drop a partition", err)
			}
		}
	}
	return nil
}

// Drop implements store.Engine: the rows are gone from all parts when it returns.
// The server deletes the files of the parts before a few minutes later.
func (db *DB) Drop(ctx context.Context, env tenant.EnvironmentID) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, t := range tables {
		if err := db.conn.Exec(ctx, "ALTER TABLE "+t.name+" DELETE WHERE env = "+literal(string(env))); err != nil {
			return db.fault("remove an environment", err)
		}
	}
	return nil
}

// Delete implements store.Engine, as Drop does.
func (db *DB) Delete(ctx context.Context, env tenant.EnvironmentID, spans []span.Key) error {
	if len(spans) == 0 {
		return ctx.Err()
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for part := range slices.Chunk(spans, mostDeleted) {
		all := make([]owner, len(part))
		for i, k := range part {
			all[i] = ownerOf(env, k)
		}
		for _, t := range tables {
			which := among(all)
			if t.name == messagesTable { // which knows no start of the span
				which = amongIDs(all)
			}
			if err := db.conn.Exec(ctx, "ALTER TABLE "+t.name+" DELETE WHERE env = "+literal(string(env))+" AND "+which); err != nil {
				return db.fault("delete spans", err)
			}
		}
	}
	return nil
}

// mostDeleted is how many spans one statement deletes: it lies in the server's
// memory, and its disk, until it is done.
const mostDeleted = 10_000
