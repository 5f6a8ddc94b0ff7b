// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// keptDump is where a database of a format version is kept for good, as pg_dump
// writes it.
func keptDump(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("format-postgres-%d.sql", version))
}

// shape returns all columns and indexes.
func shape(t *testing.T, d *DB) (list []string) {
	t.Helper()
	require.NoError(t, d.bun.NewRaw(`
		SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(collation_name, '') FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT action_statement FROM information_schema.triggers
		ORDER BY 1`).Scan(t.Context(), &list))
	return list
}

// foreign finds what is not for us in a dump: comments, what begins with a backslash,
// which is for psql, and settings that servers of other versions do not know.
var foreign = regexp.MustCompile(`(?m)^(--|\\|SET transaction_timeout).*\n+`)

// restore makes a database of a dump.
func restore(t *testing.T, dsn string, dump []byte) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), string(dump))
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))
}

// A database of each format that a release made opens with this one, keeps what it
// has, and gets the tables of a new one.
func TestEachFormatOfPostgresIsKeptAndOpens(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		fresh := openDSN(t, s.Database(t))
		latest := latestFormat(t, fresh)
		if _, err := os.Stat(keptDump(latest)); *update && os.IsNotExist(err) {
			dsn := s.Database(t)
			fillDatabase(t, openDSN(t, dsn))
			dump, err := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges", dsn).Output()
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(keptDump(latest), foreign.ReplaceAll(dump, nil), 0o644))
		}
		for version := 1; version <= latest; version++ {
			old, err := os.ReadFile(keptDump(version))
			require.NoError(t, err, "a format without a database: run this test with -update, and keep the file")
			dsn := s.Database(t)
			restore(t, dsn, old)
			for range 2 {
				d := openDSN(t, dsn)
				require.Equal(t, shape(t, fresh), shape(t, d), version)
				require.NoError(t, d.Close())
			}
			requireFilled(t, openDSN(t, dsn), version+1) // the first had what SQLite has since its second
		}
	})
}

func TestUnknownFormatsOfPostgresAreRefused(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ statement, says string }{
		{"UPDATE format SET version = 9999", "open control store in PostgreSQL: read its format: the database has format 9999, which a newer release made: this one knows formats up to 5"},
		{"DROP TABLE format", "open control store in PostgreSQL: read its format: the database has tables and no format version: no release of Touchstone made it"},
		{"DELETE FROM format", "no rows"},
	} {
		dsn := postgrestest.One(t).Database(t)
		d := openDSN(t, dsn)
		_, err := d.bun.ExecContext(t.Context(), x.statement)
		require.NoError(t, err)
		before := shape(t, d)
		_, err = OpenPostgres(t.Context(), Postgres{DSN: dsn})
		require.ErrorContains(t, err, x.says)
		require.Equal(t, before, shape(t, d), "it is left as it was")
	}
}

// Several begin at once on no tables at all: one of them makes these.
func TestTablesAreMadeOnce(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Database(t)
		var wg sync.WaitGroup
		errs := make(chan error, 8)
		for range cap(errs) {
			wg.Go(func() {
				d, err := OpenPostgres(t.Context(), Postgres{DSN: dsn})
				if err == nil {
					_, err = d.Secret(t.Context(), "shared")
				}
				if d != nil {
					_ = d.Close()
				}
				errs <- err
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	})
}

// migratingPostgres opens a database with a release that has a format more.
func migratingPostgres(t *testing.T, dsn, statements string) (*DB, error) {
	t.Helper()
	e, err := openPostgres(Postgres{DSN: dsn})
	require.NoError(t, err)
	e.schema = next(t, e, statements)
	return start(t.Context(), e)
}

// A step that fails, or whose connection is ended in the middle of it, leaves the
// database as it was; the next one does the step.
func TestAStepThatEndsEarlyLeavesTheFormatOfPostgres(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	d := openDSN(t, dsn)
	fillDatabase(t, d)
	before := shape(t, d)
	half := "CREATE TABLE half (); UPDATE documents SET body = '{}';"
	for statements, says := range map[string]string{
		half + "no SQL;": "format 6",
		half + "SELECT pg_terminate_backend(pg_backend_pid());": "control store",
	} {
		_, err := migratingPostgres(t, dsn, statements)
		require.ErrorContains(t, err, says)
		require.Equal(t, before, shape(t, d))
	}
	requireFilled(t, d, 2)
	next, err := migratingPostgres(t, dsn, "CREATE TABLE half ()")
	require.NoError(t, err)
	require.NoError(t, next.Close())
	_, err = OpenPostgres(t.Context(), Postgres{DSN: dsn})
	require.ErrorContains(t, err, "a newer release", "the step was done")
}

// The tables are where the search path says, and others do not matter.
func TestTablesAreInTheSchemaOfTheSearchPath(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	c, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), "CREATE TABLE keys (); CREATE SCHEMA ours")
	require.NoError(t, err)
	require.NoError(t, c.Close(t.Context()))
	_, err = OpenPostgres(t.Context(), Postgres{DSN: dsn})
	require.ErrorContains(t, err, "no release of Touchstone made it")
	d := openDSN(t, dsn+" search_path=ours")
	fillDatabase(t, d)
	requireFilled(t, openDSN(t, dsn+" search_path=ours"), 2)
	_, err = OpenPostgres(t.Context(), Postgres{DSN: dsn + " search_path=nowhere"})
	require.ErrorContains(t, err, "the search path names no schema that is there")
	require.NotContains(t, err.Error(), "nowhere")
}

// Who only checks the format changes nothing, and says what is to be done; who does not
// look takes whatever is there.
func TestFormatsOfPostgresAreChecked(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Database(t)
		open := func(m store.Migration) error {
			d, err := OpenPostgres(t.Context(), Postgres{DSN: dsn, Migration: m})
			if err != nil {
				return err
			}
			return d.Close()
		}
		require.ErrorContains(t, open(store.MigrateCheck), "the database has format 0, and this release needs")
		require.NoError(t, open(store.MigrateOff))
		require.ErrorContains(t, open(store.MigrateCheck), "run touchstone migrate, or set migrate to auto", "nothing was made of it")
		require.NoError(t, open(store.MigrateAuto))
		require.NoError(t, open(store.MigrateCheck))
		c, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		_, err = c.Exec(t.Context(), "UPDATE format SET version = 99")
		require.NoError(t, err)
		require.NoError(t, c.Close(t.Context()))
		require.ErrorContains(t, open(store.MigrateCheck), "the database has format 99, which a newer release made")
		require.NoError(t, open(store.MigrateOff))
	})
}
