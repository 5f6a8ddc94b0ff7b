// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/enginetest"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// The contract holds through distributed tables, over the one shard that a server makes
// by itself: the groups that have statements of their own with an eighth of the random
// queries, all of it where TOUCHSTONE_SOAK_ROUNDS is set.
func TestEngineThroughDistributedTables(t *testing.T) {
	t.Parallel()
	oneIn, some := 8, []string{"Write", "Repeat", "Model", "Messages", "Drop", "Delete", "Revisions", "Owed", "Aggregate", "Get"}
	if os.Getenv("TOUCHSTONE_SOAK_ROUNDS") != "" {
		oneIn, some = 1, nil
	}
	enginetest.ExerciseBriefly(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		t.Helper()
		db, err := Open(t.Context(), Config{
			DSN: clickhousetest.Database(t, dir), Now: now, Cluster: clickhousetest.Cluster, Quorum: true, keepExpired: true, alone: true,
		})
		require.NoError(t, err)
		return db
	}, oneIn, some...)
}

// The rows of a cluster are in the tables of its shards, and what is asked for in the
// cluster's is there.
func TestTablesOfACluster(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now, Cluster: clickhousetest.Cluster, Synced: true, alone: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	engines := map[string]string{}
	require.NoError(t, db.each(t.Context(), "look", "SELECT name, engine_full FROM system.tables WHERE database = currentDatabase()", func(scan func(into ...any) error) error {
		var name, engine string
		err := scan(&name, &engine)
		engines[name] = engine
		return err
	}))
	require.Len(t, engines, 2*len(tables)+1)
	for _, table := range tables {
		require.Contains(t, engines[table.name], "Distributed('"+clickhousetest.Cluster+"'")
		require.Contains(t, engines[table.name], sharding)
		require.Contains(t, engines[table.name+"_local"], "ReplacingMergeTree")
		require.Contains(t, engines[table.name+"_local"], "fsync_after_insert = 1")
	}
	parts, err := db.Parts(t.Context())
	require.NoError(t, err)
	require.Positive(t, parts)
}

// The statements that make and change the tables of a cluster are those that are kept,
// and the engine reads every one of them. What it cannot run, having neither Keeper nor
// replicas, is as the documentation has it.
func TestStatementsOfACluster(t *testing.T) {
	t.Parallel()
	db := &DB{cfg: Config{Cluster: "spans_cluster", Synced: true, Quorum: true}, database: "touchstone"}
	statements := []string{"CREATE TABLE IF NOT EXISTS " + migrationsTable + db.everywhere() + " (n Int64, at DateTime64(3)) ENGINE = " + db.replacing(migrationsTable, "") + " ORDER BY n"}
	for _, list := range db.migrations() {
		statements = append(statements, list...)
	}
	for _, table := range tables {
		statements = append(statements,
			"ALTER TABLE "+db.stored(table.name)+db.everywhere()+" MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1",
			"ALTER TABLE "+db.stored(table.name)+db.everywhere()+" DROP PARTITION 7",
			"ALTER TABLE "+db.stored(table.name)+db.everywhere()+" DELETE WHERE env = "+sqltext.Literal("env_prd"))
	}
	const file = "testdata/cluster.sql"
	text := strings.Join(statements, ";\n\n") + ";\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(kept), text, "a release adds to them, never changes them")

	reader, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now, Migration: store.MigrateOff})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	for _, s := range statements {
		require.NoError(t, reader.each(t.Context(), "read a statement", "SELECT formatQuerySingleLine("+sqltext.Literal(s)+")", func(scan func(into ...any) error) error {
			var as string
			err := scan(&as)
			require.Contains(t, as, " ON CLUSTER spans_cluster")
			return err
		}), s)
	}
}

func TestRefusalsOfAClusterAreTold(t *testing.T) {
	t.Parallel()
	open := opening(t, clickhousetest.Database(t, t.Name()))
	require.EqualError(t, open(Config{Cluster: "a'; DROP"}), "the name of a cluster has letters, digits and underscores alone, and begins with no digit")
	require.ErrorContains(t, open(Config{Cluster: clickhousetest.Cluster}), "the server has no Keeper, without which there is no cluster")
	require.ErrorContains(t, open(Config{Cluster: "nowhere", alone: true}), "the server knows no cluster of the name that is configured")
	require.NoError(t, open(Config{Cluster: clickhousetest.Cluster, alone: true}))
	require.NoError(t, open(Config{Cluster: clickhousetest.Cluster, Migration: store.MigrateCheck}))
	for _, migration := range []store.Migration{store.MigrateAuto, store.MigrateCheck} {
		require.EqualError(t, open(Config{Migration: migration}), `the tables of the database are those of the cluster "alone": name it in the configuration`)
		require.EqualError(t, open(Config{Cluster: "other", Migration: migration}), `the tables of the database are those of the cluster "alone": name it in the configuration`)
	}
	open = opening(t, clickhousetest.Database(t, t.Name()+"/single"))
	require.NoError(t, open(Config{}))
	require.EqualError(t, open(Config{Cluster: clickhousetest.Cluster, alone: true}), "the tables of the database are those of one server: a cluster needs a database of its own")
}
