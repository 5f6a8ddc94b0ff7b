// SPDX-License-Identifier: Apache-2.0

// Package storeextension opens the stores, in one data directory or on servers, and provides them
// to the other components: spans in DuckDB or ClickHouse, everything else in SQLite or
// PostgreSQL.
package storeextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/extension"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("store")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	return &Config{
		Directory: "./data",
		Spans: SpansConfig{
			DuckDB: configoptional.Default(DuckDBConfig{
				MemoryLimitMiB: 192,
				Threads:        1,
				CheckpointMiB:  32,
				AttachedFiles:  32,
				MinFreeMiB:     256,
			}),
			ClickHouse: configoptional.Default(ClickHouseConfig{
				MaxConnections: 16, Inserts: byProcess, Durability: ofProcess, Migrate: string(store.MigrateAuto), MinFreeMiB: 256, QueryTimeout: time.Minute,
			}),
		},
		Control: ControlConfig{
			SQLite:   configoptional.Default(SQLiteConfig{}),
			Postgres: configoptional.Default(PostgresConfig{MaxConnections: 8, Migrate: string(store.MigrateAuto)}),
		},
		Queries: QueriesConfig{
			Timeout: 20 * time.Second, SearchTime: 10 * time.Second, MaxMiB: 64 << 10, ExpensiveMiB: 256, MiBPerSecond: 512,
			AtOnce: 2, ExpensiveAtOnce: 1, Waiting: 32, Wait: 10 * time.Second,
		},
		Quotas:          QuotasConfig{ConcurrentQueries: 16},
		ExpireInterval:  10 * time.Minute,
		RefreshInterval: 500 * time.Millisecond,
	}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newExtension(cfg.(*Config), set.TelemetrySettings, openEngine)
}
