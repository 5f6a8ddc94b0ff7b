// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// The tables. Their engine keeps, of rows with the same key, the one of the highest
// version: whatever writers, repeats and crashes there are, the same rows come out,
// and reading with FINAL sees them before parts are merged.
const (
	spansTable        = "spans"        // one row for each span
	lateTable         = "late"         // of evaluations that came later, those that count
	predecessorsTable = "predecessors" // of those, the earlier revisions
	messagesTable     = "messages"     // what came apart from its span
)

// tables are the tables with their columns, keys and versions.
var tables = []struct{ name, columns, key, version, indexes string }{
	{
		spansTable, definition(spanColumns), "env, bucket, trace, id", "version", `
	INDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1,
	INDEX by_tokens total_tokens TYPE minmax GRANULARITY 1,
	INDEX by_duration duration TYPE minmax GRANULARITY 1`,
	},
	{lateTable, definition(lateColumns), "env, bucket, trace, id, digest, setup, evaluator", "rank", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1"},
	{predecessorsTable, definition(lateColumns), "env, bucket, trace, id, digest, setup, evaluator, revision", "rank", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1"},
	{messagesTable, definition(messageColumns), "env, trace, id, side, key", "time", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1"},
}

// migrationsTable says which migrations a database has had.
const migrationsTable = "migrations"

// migrations are statements that each release adds to, never changes. Every one may
// be run again, and by several processes at once.
func (db *DB) migrations() (list [][]string) {
	var first []string
	for _, t := range tables {
		statement := "CREATE TABLE IF NOT EXISTS " + t.name + " (" + t.columns + t.indexes +
			"\n) ENGINE = ReplacingMergeTree(" + t.version + ") PARTITION BY part ORDER BY (" + t.key + ")"
		if !db.cfg.keepExpired {
			statement += " TTL toDateTime(gone) DELETE"
		}
		first = append(first, statement+" SETTINGS ttl_only_drop_parts = 1, min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1")
	}
	return [][]string{
		first,
		{"ALTER TABLE " + spansTable + " ADD INDEX IF NOT EXISTS by_attribute " + tokens + " TYPE text(tokenizer = 'array')"},
	}
}

// migrate brings the database to the schema of this release.
func (db *DB) migrate(ctx context.Context) error {
	statement := "CREATE TABLE IF NOT EXISTS " + migrationsTable + " (n Int64, at DateTime64(3)) ENGINE = ReplacingMergeTree ORDER BY n"
	if err := db.conn.Exec(ctx, statement); err != nil {
		return db.refusal(err)
	}
	had, err := db.number(ctx, "read the schema", "SELECT max(n) FROM "+migrationsTable)
	if err != nil {
		return err
	}
	list := db.migrations()
	if had > int64(len(list)) {
		return fault.New(fault.Invalid, "the database has the schema of a newer release: %d, and this one knows %d", had, len(list))
	}
	for i, statements := range list[had:] {
		for _, statement := range append(statements, "INSERT INTO "+migrationsTable+" SELECT "+whole(had+int64(i)+1)+", now64(3)") {
			if err := db.conn.Exec(ctx, statement); err != nil {
				return db.refusal(err)
			}
		}
	}
	return db.sync(ctx)
}

// sync has the server store on disk what it answers for, from now on and for every
// process, where this is wished.
func (db *DB) sync(ctx context.Context) error {
	if !db.cfg.Synced {
		return nil
	}
	for _, t := range tables {
		if err := db.conn.Exec(ctx, "ALTER TABLE "+t.name+" MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1"); err != nil {
			return db.refusal(err)
		}
	}
	return nil
}
