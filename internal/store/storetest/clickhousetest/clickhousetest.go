// SPDX-License-Identifier: Apache-2.0

// Package clickhousetest gives tests a ClickHouse server: ClickHouse's own engine,
// as the library that chDB makes of it, in a process of its own that speaks the
// HTTP interface; or the server that TOUCHSTONE_TEST_CLICKHOUSE names by its DSN.
package clickhousetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"
)

// serverEnv names a server to use instead of the engine in a process of its own.
const serverEnv = "TOUCHSTONE_TEST_CLICKHOUSE"

// started is the server of this test binary, once it is asked for.
var started struct {
	sync.Mutex
	*process
	databases map[string]bool
}

// Main is what TestMain of a package calls whose tests use the server: the server
// is the same binary, and ends with the tests.
func Main(m *testing.M) {
	Serve()
	os.Exit(With(m).Run())
}

// Serve is the first thing that a TestMain calls that does not call Main: if this
// process is the server it serves, and does not return.
func Serve() {
	if os.Getenv(processEnv) != "" {
		os.Exit(serveMain())
	}
}

// With is what such a TestMain runs: it stops the server when the tests have ended.
func With(m interface{ Run() int }) interface{ Run() int } { return stopping{m} }

type stopping struct{ tests interface{ Run() int } }

func (s stopping) Run() int {
	code := s.tests.Run()
	if started.process != nil {
		started.stop()
	}
	return code
}

// DSN returns the DSN of the server, which it starts if no test did before.
func DSN(t testing.TB) string {
	t.Helper()
	if Named() {
		return os.Getenv(serverEnv)
	}
	started.Lock()
	defer started.Unlock()
	if started.process == nil {
		p, err := start(t.Context())
		require.NoError(t, err)
		started.process = p
	}
	return "http://" + started.address + "/default"
}

// Database returns the DSN of a database that is the test's own, the same for the
// same name, and goes with the test.
func Database(t testing.TB, name string) string {
	t.Helper()
	return databaseOn(t, DSN(t), name)
}

// Named reports whether tests run on a server that the environment names.
func Named() bool { return os.Getenv(serverEnv) != "" }

// prefix begins the names of databases that tests make.
const prefix = "test_"

func databaseOn(t testing.TB, dsn, name string) string {
	t.Helper()
	server, err := url.Parse(dsn)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(name))
	database := prefix + hex.EncodeToString(sum[:8])
	at := server.Host + "/" + database
	started.Lock()
	defer started.Unlock()
	if !started.databases[at] {
		if started.databases == nil {
			started.databases = map[string]bool{}
		}
		started.databases[at] = true
		execute(t, server.String(), "CREATE DATABASE "+database)
		t.Cleanup(func() {
			execute(t, server.String(), "DROP DATABASE "+database+" SYNC")
			started.Lock()
			defer started.Unlock()
			delete(started.databases, at)
		})
	}
	server.Path = "/" + database
	return server.String()
}

// execute runs a statement on a server.
func execute(t testing.TB, dsn, statement string) {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	require.NoError(t, err)
	conn, err := clickhouse.Open(options)
	require.NoError(t, err)
	require.NoError(t, conn.Exec(context.Background(), statement)) // the test may have ended
	require.NoError(t, conn.Close())
}
