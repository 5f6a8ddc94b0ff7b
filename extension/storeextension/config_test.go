// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Directory:       "/var/lib/touchstone",
		BackupDirectory: "/mnt/backups",
		Spans: SpansConfig{
			DuckDB:     configoptional.Some(DuckDBConfig{MemoryLimitMiB: 1024, Threads: 4, CheckpointMiB: 128, AttachedFiles: 24}),
			ClickHouse: createDefaultConfig().(*Config).Spans.ClickHouse,
		},
		Control: ControlConfig{
			SQLite: configoptional.Default(SQLiteConfig{}),
			Postgres: configoptional.Some(PostgresConfig{
				DSN: "postgres://touchstone:secret@db.example:5432/touchstone", MaxConnections: 16, Migrate: "check",
			}),
		},
		ExpireInterval:  time.Minute,
		RefreshInterval: 250 * time.Millisecond,
		Queries: QueriesConfig{
			Timeout: 5 * time.Second, SearchTime: 2 * time.Second, MaxSpans: 1_000_000, MaxMiB: 1024, ExpensiveMiB: 64, MiBPerSecond: 128,
			AtOnce: 2, ExpensiveAtOnce: 3, Waiting: 8, Wait: time.Second,
		},
		Quotas: QuotasConfig{
			SpansPerSecond: 1000, BytesPerSecond: 1048576, ConcurrentQueries: 8,
			StoredBytes: 1 << 30, OwedEvaluations: 10_000, DollarsPerDay: 2.5,
		},
	}, cfg)

	err := configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	for _, s := range configtest.Settings(createDefaultConfig()) {
		if strings.HasPrefix(s.Key, "control::sqlite::") { // which may be any
			continue
		}
		require.ErrorContains(t, err, `"`+s.Key+`"`)
	}
	require.ErrorContains(t, err, `"control::sqlite" and "control::postgres" exclude each other`)
	require.ErrorContains(t, err, `"spans::duckdb" and "spans::clickhouse" exclude each other`)
}

// A configuration that names PostgreSQL and no server of it does not get SQLite, and no part
// of a DSN is shown.
func TestConfigOfTheControlStore(t *testing.T) {
	t.Parallel()
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "file"), cfg))
	require.Equal(t, SQLiteConfig{Path: "/var/lib/touchstone/control.db", AllowMissing: true}, *cfg.Control.SQLite.Get())
	require.Equal(t, "sqlite", cfg.Control.engine())
	cfg = createDefaultConfig().(*Config)
	require.ErrorContains(t, configtest.Load(t, component.NewIDWithName(Type, "nothing"), cfg), `"control::postgres::dsn" is required`)
	err := configtest.Load(t, component.NewIDWithName(Type, "other"), createDefaultConfig())
	require.ErrorContains(t, err, `"control::postgres::dsn": the DSN is no connection string of PostgreSQL`)
	require.NotContains(t, err.Error(), "secret")

	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.NotContains(t, fmt.Sprintf("%v %#v", *cfg.Control.Postgres.Get(), *cfg.Control.Postgres.Get()), "secret")
}

// Likewise for the spans. What is kept on servers alone needs no directory.
func TestConfigOfTheSpanStore(t *testing.T) {
	t.Parallel()
	cfg := createDefaultConfig().(*Config)
	require.Equal(t, "duckdb", cfg.Spans.engine())
	require.EqualValues(t, 192, cfg.Spans.duckDB().MemoryLimitMiB)
	require.False(t, cfg.Spans.DuckDB.HasValue(), "the default is not named by being asked for")
	require.True(t, cfg.local())

	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "servers"), cfg))
	require.Equal(t, "clickhouse", cfg.Spans.engine())
	require.Nil(t, cfg.Spans.duckDB())
	require.Equal(t, ClickHouseConfig{
		DSN: "https://touchstone:secret@spans.example:8443/touchstone", MaxConnections: 32, Inserts: byServer, Durability: ofQuorum, Cluster: "spans_cluster", Migrate: "off", MinFreeMiB: 1024, QueryTimeout: 30 * time.Second, QueryMemoryMiB: 4096, QueryThreads: 8,
	}, *cfg.Spans.ClickHouse.Get())
	require.False(t, cfg.local())
	require.NotContains(t, fmt.Sprintf("%v %#v", *cfg.Spans.ClickHouse.Get(), *cfg.Spans.ClickHouse.Get()), "secret")
	cfg = createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "one_server"), cfg))
	require.True(t, cfg.local(), "SQLite needs a directory")

	err := configtest.Load(t, component.NewIDWithName(Type, "no_server"), createDefaultConfig())
	require.ErrorContains(t, err, `"spans::clickhouse::dsn" is required`)
	err = configtest.Load(t, component.NewIDWithName(Type, "no_cluster"), createDefaultConfig())
	require.EqualError(t, err, `"spans::clickhouse::durability" is quorum for a cluster alone: name it in "spans::clickhouse::cluster"`)
	err = configtest.Load(t, component.NewIDWithName(Type, "other_server"), createDefaultConfig())
	require.ErrorContains(t, err, `"spans::clickhouse::dsn": the DSN of ClickHouse is none`)
	require.NotContains(t, err.Error(), "secret")
}
