// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql/driver"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var update = flag.Bool("update", false, "keep a database of the latest format in testdata, if there is none")

// kept is where a database of a format version is kept for good.
func kept(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("format-%d.db", version))
}

// fillDatabase writes something of everything.
func fillDatabase(t *testing.T, d *DB) {
	t.Helper()
	org, keys := storetest.NewOrganization("acme", "prd", "dev")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	env := keys[0].Environment
	s := storetest.NewSetup(env, "quality")
	require.NoError(t, store.Setups(d).Create(t.Context(), s))
	s.Status = monitor.Completed
	_, err := store.Setups(d).Replace(t.Context(), s)
	require.NoError(t, err)
	e := storetest.NewEvaluator(env, "ours")
	require.NoError(t, store.Evaluators(d).Create(t.Context(), e))
	e.Description, e.VersionID = "the second", "second"
	_, err = store.Evaluators(d).Replace(t.Context(), e)
	require.NoError(t, err)
	require.NoError(t, store.Backfills(d).Create(t.Context(), storetest.NewBackfill(s, "one")))
	_, err = d.Secret(t.Context(), "cursors")
	require.NoError(t, err)
	_, err = d.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error {
		o.Projects[0].Environments[0].Quota = someQuota
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, d.ChangeKeys(t.Context(), []tenant.EnvironmentID{env.ID}, func(keys []tenant.Key) ([]tenant.Key, error) {
		return append(keys, someKey(env)), nil
	}))
}

var someQuota = tenant.Quota{SpansPerSecond: 1, BytesPerSecond: 2, ConcurrentQueries: 3}

// someKey is a key that has everything.
func someKey(env tenant.Environment) tenant.Key {
	k := storetest.NewKey(env, "some")
	k.Scope, k.CreatedAt = tenant.Read, k.CreatedAt.Add(1)
	k.ExpiresAt, k.RevokedAt, k.UsedAt = k.CreatedAt.Add(4), k.CreatedAt.Add(3), k.CreatedAt.Add(2)
	return k
}

// requireOwners holds organization and keys that fillDatabase wrote against what
// is read. Format 1 had of keys their digests alone, and no quota.
func requireOwners(t *testing.T, d *DB, made int) tenant.Environment {
	t.Helper()
	org, want := storetest.NewOrganization("acme", "dev", "prd")
	for i, retention := range []time.Duration{2 * time.Hour, time.Hour} { // prd was the first
		org.Projects[0].Environments[i].Retention, want[i].Environment.Retention = retention, retention
	}
	if made > 1 {
		want[0].Environment.Quota, org.Projects[0].Environments[0].Quota = someQuota, someQuota
		want = append(want, someKey(want[1].Environment))
	}
	organizations, err := d.Organizations(t.Context())
	require.NoError(t, err)
	require.Equal(t, []tenant.Organization{org}, organizations)
	keys, err := d.Keys(t.Context())
	require.NoError(t, err)
	if made == 1 {
		for i := range keys {
			require.Regexp(t, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$", keys[i].ID)
			keys[i].ID = want[slices.IndexFunc(want, func(k tenant.Key) bool { return k.Digest == keys[i].Digest })].ID
		}
	}
	require.ElementsMatch(t, want, keys)
	return org.Projects[0].Environments[1]
}

// requireFilled holds what fillDatabase wrote in a format against what is read,
// and the database against further use.
func requireFilled(t *testing.T, d *DB, made int) {
	t.Helper()
	env := requireOwners(t, d, made)
	s, err := store.Setups(d).Get(t.Context(), env.ID, "quality")
	require.NoError(t, err)
	require.Equal(t, storetest.NewSetup(env, "quality").Selector, s.Selector)
	require.Equal(t, monitor.Completed, s.Status)
	require.EqualValues(t, 2, s.Revision)
	for version, description := range map[string]string{"1": "", "second": "the second"} {
		e, err := store.Evaluators(d).Revision(t.Context(), env.ID, "ours", version)
		require.NoError(t, err)
		require.Equal(t, description, e.Description)
		require.Equal(t, storetest.NewEvaluator(env, "ours").Messages, e.Messages)
	}
	open, err := store.Backfills(d).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Equal(t, s.ID, open[0].SetupID)
	changes, err := d.Changes(t.Context(), 2)
	require.NoError(t, err)
	require.Len(t, changes.List, map[bool]int{true: 2, false: 4}[made == 1])

	next := storetest.NewSetup(env, "next")
	require.NoError(t, store.Setups(d).Create(t.Context(), next))
	require.NoError(t, store.Setups(d).Delete(t.Context(), env.ID, next.ID))
}

func latestFormat(t *testing.T, d *DB) int {
	t.Helper()
	latest, err := d.engine.schema.latest()
	require.NoError(t, err)
	return latest
}

// tables returns the statements that would make the tables and indexes.
func tables(t *testing.T, d *DB) (list []string) {
	t.Helper()
	require.NoError(t, d.bun.NewRaw("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").Scan(t.Context(), &list))
	return list
}

// A database of each format that a release made opens with this one, keeps what
// it has, and gets the tables of a new one.
func TestEachFormatIsKeptAndOpens(t *testing.T) {
	t.Parallel()
	fresh := open(t, filepath.Join(t.TempDir(), "control.db"))
	latest := latestFormat(t, fresh)
	if _, err := os.Stat(kept(latest)); *update && os.IsNotExist(err) {
		d := open(t, kept(latest))
		fillDatabase(t, d)
		require.NoError(t, d.Close())
		require.NoError(t, os.Chmod(kept(latest), 0o644))
	}
	for version := 1; version <= latest; version++ {
		old, err := os.ReadFile(kept(version))
		require.NoError(t, err, "a format without a database: run this test with -update, and keep the file")
		path := filepath.Join(t.TempDir(), "control.db")
		require.NoError(t, os.WriteFile(path, old, 0o600))
		for range 2 {
			d := open(t, path)
			require.Equal(t, tables(t, fresh), tables(t, d), version)
			require.NoError(t, d.Close())
		}
		requireFilled(t, open(t, path), version)
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, statement, says string }{
		{"newer", "UPDATE format SET version = 9999", "the database has format 9999, which a newer release made: this one knows formats up to 4"},
		{"none", "DROP TABLE format", "the database has tables and no format version: no release of Touchstone made it"},
		{"broken", "DELETE FROM format", "no rows"},
	} {
		path := filepath.Join(t.TempDir(), "control.db")
		d := open(t, path)
		_, err := d.bun.ExecContext(t.Context(), x.statement)
		require.NoError(t, err)
		require.NoError(t, d.Close())
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = Open(t.Context(), Config{Path: path})
		require.ErrorContains(t, err, x.says, x.name)
		require.ErrorContains(t, err, path)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after, "%s: it is left as it was", x.name)
	}
}

// next returns the statements of the present format and those of one after it.
func next(t *testing.T, e *engine, statements string) steps {
	t.Helper()
	latest, err := e.schema.latest()
	require.NoError(t, err)
	files := fstest.MapFS{}
	for version := 1; version <= latest; version++ {
		name := fmt.Sprintf("%d.sql", version)
		text, err := fs.ReadFile(e.schema.files, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	files[fmt.Sprintf("%d.sql", latest+1)] = &fstest.MapFile{Data: []byte(statements)}
	return steps{files}
}

// migrating opens a database with a release that has a format more.
func migrating(t *testing.T, path, statements string) (*DB, error) {
	t.Helper()
	e, err := openSQLite(path, busyTimeout)
	require.NoError(t, err)
	e.schema = next(t, e, statements)
	return start(t.Context(), e)
}

// half is the first half of a step: more than SQLite holds back in memory.
const half = `CREATE TABLE half (body BLOB NOT NULL) STRICT;
UPDATE documents SET body = '{}';
INSERT INTO half WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) SELECT randomblob(1000) FROM n;`

func requireUntouched(t *testing.T, path string) {
	t.Helper()
	d := open(t, path)
	var n int
	require.NoError(t, d.bun.NewRaw("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(t.Context(), &n))
	require.Zero(t, n)
	requireFilled(t, d, latestFormat(t, d))
	require.NoError(t, d.Close())
}

func TestAStepThatFailsLeavesTheFormat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	d := open(t, path)
	fillDatabase(t, d)
	require.NoError(t, d.Close())
	_, err := migrating(t, path, half+"no SQL")
	require.ErrorContains(t, err, "format 5")
	requireUntouched(t, path)
}

// killedInAStep tells TestProcessThatIsKilledInAStep that it is one.
const killedInAStep = "SQLDB_TEST_KILLED_IN_A_STEP"

// TestProcessThatIsKilledInAStep is the other process of the test below, and
// nothing without it.
func TestProcessThatIsKilledInAStep(t *testing.T) {
	if os.Getenv(killedInAStep) == "" {
		return
	}
	sqlite.MustRegisterScalarFunction("wait_for_the_kill", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		fmt.Println("half")
		select {}
	})
	_, err := migrating(t, "control.db", half+"SELECT wait_for_the_kill();")
	require.NoError(t, err)
}

// A process that is killed in the middle of a step leaves the database as it
// was; the next one does the step.
func TestAKillInAStepLeavesTheFormat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	d := open(t, path)
	fillDatabase(t, d)
	require.NoError(t, d.Close())

	other, said := child(t, filepath.Dir(path), "TestProcessThatIsKilledInAStep", killedInAStep+"=1")
	line, err := said()
	require.NoError(t, err)
	require.Equal(t, "half\n", line)
	wal, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	require.Greater(t, wal.Size(), int64(1<<20), "some of the step is on disk")
	kill(t, other)
	requireUntouched(t, path)

	d, err = migrating(t, path, "CREATE TABLE half (id INTEGER) STRICT")
	require.NoError(t, err)
	require.NoError(t, d.Close())
	_, err = Open(t.Context(), Config{Path: path})
	require.ErrorContains(t, err, "a newer release", "the step was done")
}
