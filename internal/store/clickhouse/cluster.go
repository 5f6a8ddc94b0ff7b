// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"regexp"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
)

// In a cluster each table is two: the rows are in replicated ones, on every server, and
// distributed ones over them have the names that all statements use. What is of one trace
// lies on one shard, so that what belongs together is found together.
// https://clickhouse.com/docs/engines/table-engines/special/distributed

// sharding is what rows are shared out by.
const sharding = "cityHash64(env, trace)"

// quorumTime is how long an insert waits for the majority of the replicas.
const quorumTime = 30 * time.Second

// clusterNames are those that need no quotes in a statement.
var clusterNames = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckCluster reports what is wrong with the name of a cluster.
func CheckCluster(name string) error {
	if !clusterNames.MatchString(name) {
		return fault.New(fault.Invalid, "the name of a cluster has letters, digits and underscores alone, and begins with no digit")
	}
	return nil
}

// stored returns the name of the table that has the rows of one.
func (db *DB) stored(table string) string {
	if db.cfg.Cluster == "" {
		return table
	}
	return table + "_local"
}

// everywhere is what has a statement run on all servers.
func (db *DB) everywhere() string {
	if db.cfg.Cluster == "" || db.cfg.alone {
		return ""
	}
	return " ON CLUSTER " + db.cfg.Cluster
}

// replacing returns the engine of a table whose rows are replaced by version, "" for
// those with the same key being the same. Every replica of a shard keeps the table at
// the same path of Keeper; one that a shard has by itself has another path.
func (db *DB) replacing(table, version string) string {
	if db.everywhere() == "" {
		return "ReplacingMergeTree(" + version + ")"
	}
	if version != "" {
		version = ", " + version
	}
	path, replica := "{shard}/", "{replica}"
	if table == migrationsTable {
		path, replica = "", "{shard}-{replica}" // the same for all shards
	}
	return "ReplicatedReplacingMergeTree('/clickhouse/touchstone/{database}/" + path + table + "', '" + replica + "'" + version + ")"
}

// distributed returns the statements that make the tables over those that have the rows.
func (db *DB) distributed() (list []string) {
	if db.cfg.Cluster == "" {
		return nil
	}
	for _, t := range tables {
		list = append(list, "CREATE TABLE IF NOT EXISTS "+t.name+db.everywhere()+" AS "+db.stored(t.name)+
			" ENGINE = Distributed('"+db.cfg.Cluster+"', currentDatabase(), '"+db.stored(t.name)+"', "+sharding+")")
	}
	return list
}

// system returns a table of the server about itself, in a cluster those of all servers.
func (db *DB) system(table string) string {
	if db.cfg.Cluster == "" {
		return "system." + table
	}
	return "clusterAllReplicas('" + db.cfg.Cluster + "', system." + table + ")"
}

// shared returns the settings of statements over several servers: an insert is answered
// when the shards have it, and a query by all of them or not at all.
func (cfg *Config) shared() driver.Settings {
	if cfg.Cluster == "" {
		return nil
	}
	s := driver.Settings{
		"distributed_foreground_insert": 1,
		"distributed_product_mode":      "local", // what is compared is of one trace
		"skip_unavailable_shards":       0,
		"distributed_ddl_output_mode":   "throw",
		// Which looks for columns by their names on a shard in the answer of it, and fails.
		"query_plan_optimize_lazy_materialization": 0,
	}
	if cfg.Quorum {
		s["insert_quorum"], s["insert_quorum_parallel"], s["insert_quorum_timeout"] = "auto", 1, quorumTime.Milliseconds()
	}
	return s
}

// shape refuses a database whose tables are those of another cluster, of none, or of one
// where none is named: what is stored in it would not be where others look for it.
func (db *DB) shape(ctx context.Context) error {
	full := ""
	err := db.each(ctx, "look at the tables", "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = '"+spansTable+"'",
		func(scan func(into ...any) error) error { return scan(&full) })
	if err != nil {
		return faults.Refusal(err)
	}
	if full == "" {
		return nil
	}
	found := distributedOver.FindStringSubmatch(full)
	switch {
	case found == nil && db.cfg.Cluster != "":
		return fault.New(fault.Invalid, "the tables of the database are those of one server: a cluster needs a database of its own")
	case found != nil && found[1] != db.cfg.Cluster:
		return fault.New(fault.Invalid, "the tables of the database are those of the cluster %q: name it in the configuration", found[1])
	}
	return nil
}

// distributedOver finds the cluster in the engine of a table.
var distributedOver = regexp.MustCompile(`^Distributed\('?([^',]*)`)
