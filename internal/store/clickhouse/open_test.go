// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestAStartThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	refused := func(dsn string) error {
		_, err := Open(t.Context(), Config{DSN: dsn, Now: time.Now})
		require.Error(t, err)
		return err
	}
	t.Run("a DSN that is none", func(t *testing.T) {
		t.Parallel()
		err := refused("//user:secret\x00@")
		require.EqualError(t, err, "the DSN of ClickHouse is none: it has the form http://user:password@host:8123/database")
	})
	t.Run("no server", func(t *testing.T) {
		t.Parallel()
		address, err := testbed.FreeAddress()
		require.NoError(t, err)
		err = refused("http://user:secret@" + address + "/spans")
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.EqualError(t, err, "no server answers at the address of the DSN: connection refused")
		require.NotContains(t, err.Error(), "secret")
	})
	t.Run("no database", func(t *testing.T) {
		t.Parallel()
		err := refused(strings.Replace(clickhousetest.DSN(t), "/default", "/nowhere", 1))
		require.ErrorContains(t, err, "the database of the DSN is not there: make it before the first start")
	})
	t.Run("the schema of a newer release", func(t *testing.T) {
		t.Parallel()
		dsn := clickhousetest.Database(t, t.Name())
		for range 2 { // and again on what is there
			db, err := Open(t.Context(), Config{DSN: dsn, Now: time.Now})
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}
		db, err := Open(t.Context(), Config{DSN: dsn, Now: time.Now})
		require.NoError(t, err)
		require.NoError(t, db.conn.Exec(t.Context(), "INSERT INTO migrations SELECT 13, now64(3)"))
		require.NoError(t, db.Close())
		require.EqualError(t, refused(dsn), "the database has the schema of a newer release: 13, and this one knows 12")
	})
	t.Run("a schema that is not that of the release", func(t *testing.T) {
		t.Parallel()
		dsn := clickhousetest.Database(t, t.Name())
		open := opening(t, dsn)
		check := Config{Migration: store.MigrateCheck}
		require.EqualError(t, open(check), "the database has schema 0, and this release needs 12: run touchstone migrate, or set migrate to auto")
		require.NoError(t, open(Config{Migration: store.MigrateOff}))
		require.ErrorContains(t, open(check), "the database has schema 0", "nothing was made of it")
		require.NoError(t, open(Config{Migration: store.MigrateAuto}))
		require.NoError(t, open(check))
		check.Synced = true
		require.EqualError(t, open(check), "the tables of the database are not written to disk at once: run touchstone migrate, or set migrate to auto")
		require.NoError(t, open(Config{Synced: true}))
		require.NoError(t, open(check))
		db, err := Open(t.Context(), Config{DSN: dsn, Now: time.Now})
		require.NoError(t, err)
		require.NoError(t, db.conn.Exec(t.Context(), "INSERT INTO migrations SELECT 13, now64(3)"))
		require.NoError(t, db.Close())
		require.EqualError(t, open(check), "the database has the schema of a newer release: 13, and this one knows 12")
		require.NoError(t, open(Config{Migration: store.MigrateOff}))
	})
	t.Run("what the server refuses", func(t *testing.T) {
		t.Parallel()
		for code, want := range map[int32]string{
			516: "the server refuses the user or the password of the DSN",
			497: "the user of the DSN lacks the grant CREATE TABLE on its database",
		} {
			err := faults.Refusal(&driver.Exception{Code: code, Message: "u: Not enough privileges. To execute this query, it's necessary to have the grant CREATE TABLE ON d.spans. (ACCESS_DENIED)"})
			require.ErrorContains(t, err, want)
		}
	})
}

// opening returns what opens a database and closes it again.
func opening(t *testing.T, dsn string) func(Config) error {
	t.Helper()
	return func(cfg Config) error {
		cfg.DSN, cfg.Now = dsn, time.Now
		db, err := Open(t.Context(), cfg)
		if err != nil {
			return err
		}
		return db.Close()
	}
}

// What goes to another machine is compressed, and what stays on this one is not, unless the
// DSN says what is.
func TestOnlyWhatGoesElsewhereIsCompressed(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]driver.CompressionMethod{
		"http://127.0.0.1:8123/spans":                    driver.CompressionNone,
		"http://localhost:8123/spans":                    driver.CompressionNone,
		"clickhouse://[::1]:9000/spans":                  driver.CompressionNone,
		"http://10.0.0.7:8123/spans":                     driver.CompressionLZ4,
		"https://clickhouse.example.com/spans":           driver.CompressionLZ4,
		"http://127.0.0.1:8123,10.0.0.7:8123/spans":      driver.CompressionLZ4,
		"http://localhost.example.com:8123/spans":        driver.CompressionLZ4,
		"http://127.0.0.1:8123/spans?compress=lz4":       driver.CompressionLZ4,
		"http://10.0.0.7:8123/spans?compress=none":       driver.CompressionNone,
		"clickhouse://10.0.0.7:9000/spans?compress=zstd": driver.CompressionZSTD,
	} {
		options, err := parseDSN(dsn)
		require.NoError(t, err, dsn)
		require.Equal(t, want, compression(options).Method, dsn)
	}
}

// Stores that compress nothing and those that do write and read the same.
func TestCompressionChangesNoRows(t *testing.T) {
	t.Parallel()
	plain := clickhousetest.Database(t, t.Name())
	at := time.Now()
	env := storetest.Environment("prd")
	for i, dsn := range []string{plain, plain + "?compress=lz4", plain + "?compress=zstd"} {
		db, err := Open(t.Context(), Config{DSN: dsn, Now: func() time.Time { return at }})
		require.NoError(t, err)
		s := storetest.Span(env, i)
		s.Start = at.UnixNano() - 1
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{storetest.Record(env, s)}))
		page, err := db.Search(t.Context(), env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: 10, Total: true})
		require.NoError(t, err)
		require.EqualValues(t, i+1, page.Total)
		require.NoError(t, db.Close())
	}
}
