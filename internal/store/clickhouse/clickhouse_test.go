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

func TestEngine(t *testing.T) {
	t.Parallel()
	enginetest.Exercise(t, open)
}
