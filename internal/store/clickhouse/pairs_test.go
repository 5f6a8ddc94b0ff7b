// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/sqlbacklog"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/backlogtest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// ofPairs are the groups of the backlog's contract that this engine has a part in; the
// others are held over a fake one.
var ofPairs = []string{"Lease", "Complete", "Life"}

// The backlog of one process, which goes with ClickHouse and SQLite, keeps its
// contract over this engine.
func TestBacklogInMemory(t *testing.T) {
	t.Parallel()
	backlogtest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		engine := open(t, dir, now)
		b, err := backlog.Open(t.Context(), engine, now)
		require.NoError(t, err)
		return closing{b.Over(engine), b.Close}, b
	}, ofPairs...)
}

// That of several processes, which goes with PostgreSQL, does too.
func TestBacklogInPostgres(t *testing.T) {
	t.Parallel()
	var dsns sync.Map // by the directory that the contract knows them by
	backlogtest.ExerciseShared(t, func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		dsn, there := dsns.Load(dir)
		if !there {
			dsn = postgrestest.One(t).Schema(t)
			dsns.Store(dir, dsn)
		}
		engine := open(t, dir, now)
		control, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: dsn.(string)})
		require.NoError(t, err)
		b, err := sqlbacklog.Open(control, engine, now)
		require.NoError(t, err)
		return closing{b.Over(engine), func() {
			b.Close()
			_ = control.Close()
		}}, b
	}, ofPairs...)
}

// closing is an engine that closes its companion first.
type closing struct {
	store.Engine
	beside func()
}

// Close implements backlogtest.Engine.
func (c closing) Close() error {
	c.beside()
	return c.Engine.Close()
}
