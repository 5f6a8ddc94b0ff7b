// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/backlogtest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/fake"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main(m)) }

// watched is a fake engine whose backlog follows what is written to it.
type watched struct {
	*fake.Engine
	backlog *Backlog
	db      *sqldb.DB
}

// Write implements backlogtest.Engine.
func (w watched) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	return w.backlog.Write(ctx, b)
}

// Expire implements backlogtest.Engine.
func (w watched) Expire(ctx context.Context, now time.Time) error { return w.backlog.Expire(ctx, now) }

// Delete implements backlogtest.Engine.
func (w watched) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	return w.backlog.Delete(ctx, env, of)
}

// Close implements backlogtest.Engine.
func (w watched) Close() error {
	w.backlog.Close()
	_ = w.db.Close()
	return w.Engine.Close()
}

func openDB(t *testing.T, dsn string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: dsn})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// opener opens fake engines and databases, which keep what they have by their
// directory.
func opener(s *postgrestest.Server) backlogtest.Open {
	type kept struct {
		engine *fake.Engine
		dsn    string
	}
	var mu sync.Mutex
	dirs := map[string]kept{}
	return func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		mu.Lock()
		k, there := dirs[dir]
		if !there {
			made := s.Schema(t)
			owner, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: made})
			require.NoError(t, err)
			require.NoError(t, owner.Close())
			k = kept{engine: fake.New(now), dsn: s.Limited(t, made)}
			dirs[dir] = k
		}
		mu.Unlock()
		k.engine.Reopen()
		db, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: k.dsn, Migration: store.MigrateCheck})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		b, err := Open(db, k.engine, now)
		require.NoError(t, err)
		return watched{Engine: k.engine, backlog: b, db: db}, b
	}
}

// The contract holds for a role that may not change tables, which another one made.
func TestContract(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) { backlogtest.ExerciseShared(t, opener(s)) })
}
