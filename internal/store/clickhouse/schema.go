// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
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

// tableDefinition is what a table is made of.
type tableDefinition struct{ name, columns, key, version, indexes, settings string }

// tables are the tables with their columns, keys and versions.
var tables = []tableDefinition{
	{
		spansTable, definition(spanColumns), "env, bucket, trace, id", "version", `
	INDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1,
	INDEX by_tokens total_tokens TYPE minmax GRANULARITY 1,
	INDEX by_duration duration TYPE minmax GRANULARITY 1`, ", " + fineGranules + ", " + compactParts + ", " + fewMerges + ", " + lessWritten + ", " + smallBlocks,
	},
	{lateTable, definition(lateColumns), "env, bucket, trace, id, digest, setup, evaluator", "rank", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1", ""},
	{predecessorsTable, definition(lateColumns), "env, bucket, trace, id, digest, setup, evaluator, revision", "rank", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1", ""},
	{messagesTable, definition(messageColumns), "env, trace, id, side, key", "time", "\n\tINDEX by_trace trace TYPE bloom_filter(0.001) GRANULARITY 1", ""},
}

// migrationsTable says which migrations a database has had.
const migrationsTable = "migrations"

// migrations are statements that each release adds to, never changes. Every one may
// be run again, and by several processes at once.
func (db *DB) migrations() (list [][]string) {
	var first []string
	for _, t := range tables {
		first = append(first, "CREATE TABLE IF NOT EXISTS "+db.stored(t.name)+db.everywhere()+" ("+t.columns+t.indexes+"\n)"+db.engineOf(t.name))
	}
	return [][]string{
		append(first, db.distributed()...),
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " ADD INDEX IF NOT EXISTS by_attribute " + tokens.Expression + " TYPE text(tokenizer = 'array')"},
		db.addColumn(spansTable, "text_bytes Int64", "CODEC(T64, ZSTD(1))"),
		db.addColumn(spansTable, foldedColumn, foldedCodec),
		{
			"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " MODIFY SETTING " + compactParts,
			"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " " + textCodecs(),
		},
		{
			"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " " + shortCodecs(spanColumns),
			"ALTER TABLE " + db.stored(lateTable) + db.everywhere() + " " + shortCodecs(lateColumns),
			"ALTER TABLE " + db.stored(predecessorsTable) + db.everywhere() + " " + shortCodecs(lateColumns),
			"ALTER TABLE " + db.stored(messagesTable) + db.everywhere() + " " + shortCodecs(messageColumns),
		},
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " MODIFY SETTING merge_selector_base = 8"},
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " ADD INDEX IF NOT EXISTS " + startsIndex},
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " MODIFY SETTING " + lessWritten},
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " MODIFY SETTING " + fewMerges},
		{"ALTER TABLE " + db.stored(spansTable) + db.everywhere() + " MODIFY SETTING " + smallBlocks},
		slices.Concat(
			db.addColumn(spansTable, scoresColumn+" Array(Float64) DEFAULT arrayMap(x -> nan, ev_setup)", "CODEC("+shortCodec+")"),
			db.addColumn(spansTable, groundsColumn+" Array(String) DEFAULT arrayMap(x -> '', ev_setup)", "CODEC("+shortCodec+")"),
			db.addColumn(lateTable, "score Float64 DEFAULT nan", "CODEC(ZSTD(1))"), db.addColumn(lateTable, "grounds String", "CODEC(ZSTD(1))"),
			db.addColumn(predecessorsTable, "score Float64 DEFAULT nan", "CODEC(ZSTD(1))"), db.addColumn(predecessorsTable, "grounds String", "CODEC(ZSTD(1))"),
		),
	}
}

// compactParts is the setting of the table of spans that keeps a part of less than 128 MiB
// in one file: those of single commits have not a file for each of eighty columns.
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#min_bytes_for_wide_part
const compactParts = "min_bytes_for_wide_part = 134217728"

// fewMerges is the setting of the table of spans by which parts are merged when they are twelve
// of one size, and not five: what a row costs in a merge is a third of what it costs in all.
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#merge_selector_base
const fewMerges = "merge_selector_base = 12"

// lessWritten are the settings of the table of spans that leave out what newer servers write by
// default and no query of it reads: the lengths of texts apart from the texts, in a file of
// their own for each column, and statistics of columns, which merges make.
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#string_serialization_version
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#auto_statistics_types
const lessWritten = "string_serialization_version = 'single_stream', auto_statistics_types = ''"

// smallBlocks is the setting of the table of spans by which what is compressed at once of a column is
// 8 KiB at least, and not 64: whole blocks are unpacked for a row of a page, which in most columns are
// those of thirty granules. Parts that are one file have a block for each granule anyway.
// https://clickhouse.com/docs/operations/settings/merge-tree-settings#min_compress_block_size
const smallBlocks = "min_compress_block_size = 8192"

// textCodecs returns the changes that give the texts of spans their codec; what is stored
// has it when it is merged.
func textCodecs() string {
	var list []string
	for _, c := range spanColumns {
		if c.codec == textCodec && (c.kind == "String" || strings.HasPrefix(c.kind, "Map(")) {
			list = append(list, "MODIFY COLUMN "+c.name+" "+c.kind+" CODEC("+c.codec+")")
		}
	}
	return strings.Join(list, ", ")
}

// Arrays that a later migration adds to the table of spans. A stored row has as many entries of
// them as evaluations.
const (
	scoresColumn  = arrayPrefix + "score"
	groundsColumn = arrayPrefix + "grounds"
)

// shortCodecs returns the changes that give columns of little their codec, but for those that
// a later migration adds.
func shortCodecs[R any](columns []column[R]) string {
	var list []string
	for _, c := range columns {
		if strings.HasSuffix(c.codec, shortCodec) && c.name != scoresColumn && c.name != groundsColumn {
			list = append(list, "MODIFY COLUMN "+c.name+" "+c.kind+" CODEC("+c.codec+")")
		}
	}
	return strings.Join(list, ", ")
}

// engineOf returns the engine of a table with its keys and settings, as CREATE has it
// behind the columns.
func (db *DB) engineOf(table string) string {
	t := tables[slices.IndexFunc(tables, func(t tableDefinition) bool { return t.name == table })]
	engine := " ENGINE = " + db.replacing(t.name, t.version) + " PARTITION BY part ORDER BY (" + t.key + ")"
	if !db.cfg.keepExpired {
		engine += " TTL toDateTime(gone) DELETE"
	}
	return engine + " SETTINGS ttl_only_drop_parts = 1, min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1" + t.settings
}

// addColumn returns the statements that give a table one more column.
func (db *DB) addColumn(table, column, codec string) []string {
	list := []string{"ALTER TABLE " + db.stored(table) + db.everywhere() + " ADD COLUMN IF NOT EXISTS " + column + " " + codec}
	if db.cfg.Cluster != "" {
		list = append(list, "ALTER TABLE "+table+db.everywhere()+" ADD COLUMN IF NOT EXISTS "+column)
	}
	return list
}

// migrate brings the database to the schema of this release.
func (db *DB) migrate(ctx context.Context) error {
	if err := db.shape(ctx); err != nil {
		return err
	}
	statement := "CREATE TABLE IF NOT EXISTS " + migrationsTable + db.everywhere() + " (n Int64, at DateTime64(3)) ENGINE = " + db.replacing(migrationsTable, "") + " ORDER BY n"
	if err := db.conn.Exec(ctx, statement); err != nil {
		return faults.Refusal(err)
	}
	had, err := db.number(ctx, "read the schema", "SELECT max(n) FROM "+migrationsTable)
	if err != nil {
		return err
	}
	list := db.migrations()
	if had > int64(len(list)) {
		return newerSchema(had, len(list))
	}
	if had > 0 {
		if err := db.refine(ctx); err != nil {
			return err
		}
	}
	for i, statements := range list[had:] {
		for _, statement := range append(statements, "INSERT INTO "+migrationsTable+" SELECT "+sqltext.Whole(had+int64(i)+1)+", now64(3)") {
			if err := db.conn.Exec(ctx, statement); err != nil {
				return faults.Refusal(err)
			}
		}
	}
	return db.sync(ctx)
}

func newerSchema(had int64, known int) error {
	return fault.New(fault.Invalid, "the database has the schema of a newer release: %d, and this one knows %d", had, known)
}

// check refuses a database that migrate would change, or not take.
func (db *DB) check(ctx context.Context) error {
	if err := db.shape(ctx); err != nil {
		return err
	}
	there, err := db.number(ctx, "look for the schema", "SELECT toInt64(count()) FROM system.tables WHERE database = currentDatabase() AND name = '"+migrationsTable+"'")
	if err != nil {
		return err
	}
	had, known := int64(0), len(db.migrations())
	if there > 0 {
		if had, err = db.number(ctx, "read the schema", "SELECT max(n) FROM "+migrationsTable); err != nil {
			return err
		}
	}
	switch {
	case had > int64(known):
		return newerSchema(had, known)
	case had < int64(known):
		return fault.New(fault.Invalid, "the database has schema %d, and this release needs %d: run touchstone migrate, or set migrate to auto", had, known)
	case !db.cfg.Synced:
		return nil
	}
	unsynced, err := db.number(ctx, "look at the tables",
		"SELECT toInt64(count()) FROM system.tables WHERE database = currentDatabase() AND name IN ("+sqltext.Literals(db.storedNames())+") AND position(create_table_query, 'fsync_after_insert = 1') = 0")
	if err == nil && unsynced > 0 {
		err = fault.New(fault.Invalid, "the tables of the database are not written to disk at once: run touchstone migrate, or set migrate to auto")
	}
	return err
}

func (db *DB) storedNames() []string {
	names := make([]string, len(tables))
	for i := range tables {
		names[i] = db.stored(tables[i].name)
	}
	return names
}

// sync has the server store on disk what it answers for, from now on and for every
// process, where this is wished.
func (db *DB) sync(ctx context.Context) error {
	if !db.cfg.Synced {
		return nil
	}
	for _, t := range tables {
		if err := db.conn.Exec(ctx, "ALTER TABLE "+db.stored(t.name)+db.everywhere()+" MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1"); err != nil {
			return faults.Refusal(err)
		}
	}
	return nil
}
