// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/enginetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

func TestMain(m *testing.M) {
	clickhousetest.Serve()
	os.Exit(clickhousetest.With(postgrestest.Main(m)).Run())
}

// open opens a store on a database that goes by the name of a directory.
func open(t *testing.T, dir string, now func() time.Time) store.Engine {
	t.Helper()
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, dir), Now: now, keepExpired: true})
	require.NoError(t, err)
	return db
}

// The contract of what is written holds where the server puts inserts together, each of
// which it answers when it has stored them.
func TestEngineWithInsertsOfTheServer(t *testing.T) {
	t.Parallel()
	enginetest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		t.Helper()
		db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, dir), Now: now, Grouped: true, keepExpired: true})
		require.NoError(t, err)
		return db
	}, "Write", "Repeat")
}

// The contract holds for a user with the grants that are documented, and no others.
func TestEngine(t *testing.T) {
	t.Parallel()
	database := clickhousetest.Database
	if !clickhousetest.Named() {
		database = clickhousetest.Own(t, documented(t, clickhousetest.OnDatabases)...).Database
	}
	enginetest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		t.Helper()
		db, err := Open(t.Context(), Config{DSN: database(t, dir), Now: now, keepExpired: true})
		require.NoError(t, err)
		return db
	})
}
