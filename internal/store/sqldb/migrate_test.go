// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A database of the first release opens with this one, and keeps what it has.
func TestOlderDatabasesAreMigrated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	first, err := fs.ReadFile(sqliteMigrations, "migrations/sqlite/0001_control.tx.up.sql")
	require.NoError(t, err)
	e, err := openSQLite(path)
	require.NoError(t, err)
	old := bun.NewDB(e.pool, e.dialect)
	require.NoError(t, migrateTo(t.Context(), old, fstest.MapFS{"0001_control.tx.up.sql": {Data: first}}))
	was := &DB{bun: old, classify: e.classify, close: old.Close}
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, was.CreateOrganization(t.Context(), org, keys))
	env := keys[0].Environment
	setup := storetest.NewSetup(env, "m")
	require.NoError(t, was.CreateSetup(t.Context(), setup))
	require.NoError(t, was.Close())

	d := open(t, path)
	got, err := d.Setup(t.Context(), env.ID, "m")
	require.NoError(t, err)
	require.Equal(t, setup, got)
	require.NoError(t, d.CreateEvaluator(t.Context(), storetest.NewEvaluator(env, "quality")))
}
