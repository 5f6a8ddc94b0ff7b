// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// nextFormat is what a release after this one might do: a table of some
// megabytes, a column, and a change of every row.
const nextFormat = `CREATE TABLE half AS SELECT range AS id, repeat(md5(range::VARCHAR), 2) AS body FROM range(60000);
ALTER TABLE spans ADD COLUMN more BIGINT DEFAULT 7;
UPDATE evaluations SET attempts = attempts + 1;`

func nextFormats() tables.Formats { return append(tables.KnownFormats(), nextFormat) }

// childMigrator opens a store with a release that has a format more, and stops
// before a statement of the migration, whose number it reads, until it is killed.
// If the number is negative it says so, and goes on.
func childMigrator(dir string) error {
	var at, count int
	if _, err := fmt.Scan(&at); err != nil {
		return err
	}
	wait := func(statement string) {
		switch {
		case strings.HasPrefix(statement, "BEGIN"), strings.HasPrefix(statement, "COMMIT"), strings.HasPrefix(statement, "UPDATE format"), statement == nextFormat:
		default:
			return
		}
		if count++; count == max(at, -at) {
			fmt.Println("before", statement)
			if at > 0 {
				select {}
			}
		}
	}
	if _, err := Open(context.Background(), Config{Dir: dir, MinFreeBytes: -1, Now: newClock().now, formats: nextFormats(), faults: instance.Faults{
		Pool: func(c driver.Connector) driver.Connector { return watchedConnector{c, wait} },
	}}); err != nil {
		return err
	}
	fmt.Println("before", "nothing")
	select {}
}

// watchedConnector tells of statements before they are executed.
type watchedConnector struct {
	driver.Connector
	before func(statement string)
}

func (c watchedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return watchedConn{conn, c.before}, nil
}

// Close implements io.Closer, as the engine's own connector does.
func (c watchedConnector) Close() error { return c.Connector.(io.Closer).Close() }

type watchedConn struct {
	driver.Conn
	before func(statement string)
}

func (c watchedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

func (c watchedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.before(query)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c watchedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// A process that is killed anywhere in a migration leaves each file as it was or
// done; the next one does the rest, once.
func TestAKillInAMigrationLosesNothing(t *testing.T) {
	t.Parallel()
	for version := 1; version <= len(tables.KnownFormats()); version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			t.Parallel()
			killInAMigration(t, version)
		})
	}
}

// killInAMigration kills a process at each step of a migration of the kept store of a
// format.
func killInAMigration(t *testing.T, version int) {
	t.Helper()
	var seen []string
	for at := 1; ; at++ {
		dir := unpack(t, version)
		files := partitionFiles(t, dir)
		require.Len(t, files, 2)
		size := sizeOf(files[0])
		c := start(t, "migrator", dir)
		_, err := fmt.Fprintln(c.in, at)
		require.NoError(t, err)
		stop := c.expect(t, "before ")
		seen = append(seen, strings.Fields(stop)[0])
		if strings.HasPrefix(stop, "UPDATE format") && at < 4 {
			require.Greater(t, sizeOf(files[0]), size, "some of the step is on disk")
		}
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())

		db, err := Open(t.Context(), Config{Dir: dir, Now: newClock().now})
		if at <= 4 { // no file has the new format
			require.NoError(t, err)
			require.NoError(t, db.Close())
			requireKept(t, Config{Dir: dir, Now: newClock().now}, version)
		} else {
			require.ErrorContains(t, err, fmt.Sprintf("%s has format %d", files[0], len(nextFormats())))
		}
		db = open(t, Config{Dir: dir, Now: newClock().now, formats: nextFormats()})
		requireMigratedOnce(t, db)
		require.NoError(t, db.Close())
		if stop == "nothing" {
			break
		}
	}
	require.Equal(t, []string{"BEGIN", "CREATE", "UPDATE", "COMMIT", "BEGIN", "CREATE", "UPDATE", "COMMIT", "nothing"}, seen)
}

// requireMigratedOnce expects that the migration was done in every file, and once.
func requireMigratedOnce(t *testing.T, db *DB) {
	t.Helper()
	env := keptEnvs()[0]
	attempts := map[string]int{}
	for _, r := range keptRecords(newClock().now())[:2] {
		list := evaluationsOf(t, db, env, r)
		require.Len(t, list, len(r.Evaluations))
		for i, e := range list {
			require.Equal(t, r.Evaluations[i].Attempts+1, e.Attempts)
			attempts[e.Evaluator]++
		}
	}
	require.Len(t, attempts, 2)
}

// A process that is killed while the log of a migration is being written leaves
// the file as it was, or done.
func TestAKillInTheCommitOfAMigrationLosesNothing(t *testing.T) {
	t.Parallel()
	const commit = 4 // the first file's
	for _, written := range []int64{0, 1, 1 << 10} {
		dir := unpack(t, len(tables.KnownFormats()))
		c := start(t, "migrator", dir)
		_, err := fmt.Fprintln(c.in, -commit)
		require.NoError(t, err)
		require.Equal(t, "COMMIT", c.expect(t, "before "))
		log := partitionFiles(t, dir)[0] + ".wal"
		require.Eventually(t, func() bool { return sizeOf(log) >= written }, time.Minute, 100*time.Microsecond)
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())
		db := open(t, Config{Dir: dir, Now: newClock().now, formats: nextFormats()})
		requireMigratedOnce(t, db)
		require.NoError(t, db.Close())
	}
}

// sizeOf returns the size of a file, 0 if it is not there.
func sizeOf(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return st.Size()
}
