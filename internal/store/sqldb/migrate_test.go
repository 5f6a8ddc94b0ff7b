// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// release makes a database with these migrations, in the way of the releases
// that had them: each noted after it ran.
func release(t *testing.T, path string, names ...string) *bun.DB {
	t.Helper()
	e, err := openSQLite(path)
	require.NoError(t, err)
	db := bun.NewDB(e.pool, e.dialect)
	migrations := migrate.NewMigrations()
	require.NoError(t, migrations.Discover(only(t, e.migrations, names...)))
	m := migrate.NewMigrator(db, migrations, migrate.WithTableName("migrations"),
		migrate.WithLocksTableName("migration_locks"), migrate.WithMarkAppliedOnSuccess(true))
	require.NoError(t, m.Init(t.Context()))
	_, err = m.Migrate(t.Context())
	require.NoError(t, err)
	return db
}

// only gives the migrations of these names.
func only(t *testing.T, files fs.FS, names ...string) fstest.MapFS {
	t.Helper()
	some := fstest.MapFS{}
	for _, name := range names {
		found, err := fs.Glob(files, name+"_*.sql")
		require.NoError(t, err)
		require.Len(t, found, 1)
		text, err := fs.ReadFile(files, found[0])
		require.NoError(t, err)
		some[found[0]] = &fstest.MapFile{Data: text}
	}
	return some
}

// rows are those that storetest.NewOrganization("acme", "prd") and NewSetup of
// it were to the first release.
var rows = []string{
	`INSERT INTO organizations VALUES ('id of acme', 'acme', 172800000000000, 1795222923456789012)`,
	`INSERT INTO projects VALUES ('project of acme', 'id of acme', 'default')`,
	`INSERT INTO environments VALUES ('acme/prd', 'project of acme', 'prd', 3600000000000)`,
	`INSERT INTO setups (id, external_id, organization_id, project_id, environment_id, selector, evaluators,
		entity_type, entity_value, status, revision, generation, created_at, updated_at)
	VALUES ('acme/prd#m', 'm', 'id of acme', 'project of acme', 'acme/prd',
		'[{"key":"llm.request.model","value":"gpt-5","source":"span_attributes","operator":"equals"}]',
		'[{"slug":"char-count","status":"pending"}]', '', '', 'pending', 1, 1, 1795248000123456789, 1795248000123456789)`,
}

// Databases of earlier releases open with this one, and keep what they have.
func TestOlderDatabasesAreMigrated(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *bun.DB){
		"first release":    func(*testing.T, *bun.DB) {},
		"previous release": func(*testing.T, *bun.DB) {},
		"previous release, cut short": func(t *testing.T, old *bun.DB) {
			_, err := old.ExecContext(t.Context(), "DELETE FROM migrations") // ran, but not noted
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "control.db")
			had := []string{"0001", "0002"}
			if name == "first release" {
				had = had[:1]
			}
			old := release(t, path, had...)
			for _, row := range rows {
				_, err := old.ExecContext(t.Context(), row)
				require.NoError(t, err)
			}
			prepare(t, old)
			require.NoError(t, old.Close())
			requireOld(t, path)
			requireOld(t, path) // and once more
		})
	}
}

func requireOld(t *testing.T, path string) {
	t.Helper()
	d, err := Open(t.Context(), Config{Path: path})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	_, keys := storetest.NewOrganization("acme", "prd")
	env := keys[0].Environment
	want := storetest.NewSetup(env, "m")
	got, err := d.Setup(t.Context(), env.ID, "m")
	require.NoError(t, err)
	want.Revision, want.MaxCostPerDay, want.Evaluators[0].Config = got.Revision, got.MaxCostPerDay, got.Evaluators[0].Config
	require.Equal(t, want, got)
	count, err := d.Changes(t.Context())
	require.NoError(t, err)
	require.Equal(t, got.Revision-1, count)

	got.MaxCostPerDay += 1.5
	got.Evaluators[0].Config = []byte(`{ "threshold": 0.5 }`)
	stored, err := d.ReplaceSetup(t.Context(), got)
	require.NoError(t, err)
	got.Revision++
	require.Equal(t, got, stored)
	job := storetest.NewBackfill(stored, strings.Repeat("b", int(got.Revision)))
	job.Status = monitor.BackfillRunning
	require.NoError(t, d.CreateBackfill(t.Context(), job))
	e := storetest.NewEvaluator(env, job.ID)
	require.NoError(t, d.CreateEvaluator(t.Context(), e))
}

// A migration that fails, or falls to a crash, leaves nothing.
func TestMigrationsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	e, err := openSQLite(path)
	require.NoError(t, err)
	db := bun.NewDB(e.pool, e.dialect)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	files := only(t, e.migrations, "0001")
	half := "CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT"
	files["0002_half.tx.up.sql"] = &fstest.MapFile{Data: []byte(half + "\n--bun:split\nno SQL")}
	require.ErrorContains(t, migrateTo(t.Context(), db, files), "0002")
	exists := func(kind string) bool {
		n, err := db.NewSelect().Table("sqlite_master").Where("name = ?", kind).Count(t.Context())
		require.NoError(t, err)
		return n > 0
	}
	require.True(t, exists("setups"))
	require.False(t, exists("half"))

	files["0002_half.tx.up.sql"] = &fstest.MapFile{Data: []byte(half)}
	require.NoError(t, migrateTo(t.Context(), db, files))
	require.True(t, exists("half"))
	require.NoError(t, migrateTo(t.Context(), db, files), "and is not run again")
}
