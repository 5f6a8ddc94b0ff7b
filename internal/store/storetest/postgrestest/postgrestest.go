// SPDX-License-Identifier: Apache-2.0

// Package postgrestest gives tests real PostgreSQL servers: that of the machine
// and a newer one, or the one that TOUCHSTONE_TEST_POSTGRES names. A server runs as
// an ordinary user in a temporary directory, on a socket of its own, from the first
// test that asks for it until the test binary ends; each test has a database of
// its own.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Server is a running server.
type Server struct {
	// Name says which one it is.
	Name string
	dsn  string // without a database
	stop func() error
}

var (
	mu      sync.Mutex
	running = make(map[string]*Server) // by name; guarded by mu
)

// Main is what TestMain runs: it stops the servers that tests began to use.
func Main(m *testing.M) interface{ Run() int } { return main{m} }

type main struct{ m *testing.M }

func (m main) Run() int {
	code := m.m.Run()
	mu.Lock()
	defer mu.Unlock()
	for _, s := range running {
		if err := s.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
			code = max(code, 1)
		}
	}
	return code
}

// named is the variable with the DSN of a server whose role may create databases.
const named = "TOUCHSTONE_TEST_POSTGRES"

// Each runs a test on every server there is.
func Each(t *testing.T, run func(t *testing.T, s *Server)) {
	t.Helper()
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) { run(t, use(t, name)) })
	}
}

// One returns one server, for tests to which it does not matter which.
func One(t testing.TB) *Server {
	t.Helper()
	return use(t, names(t)[0])
}

// names returns the names of the servers there are, one at least.
func names(t testing.TB) (names []string) {
	t.Helper()
	if os.Getenv(named) != "" {
		return []string{"named"}
	}
	for _, name := range []string{"machine", "newer"} {
		_, err := programs[name]()
		if err == nil {
			names = append(names, name)
			continue
		}
		require.Empty(t, os.Getenv("CI"), "where everything is tested, both servers are: %v", err)
		t.Log(err)
	}
	require.NotEmpty(t, names, "PostgreSQL 15 or newer is needed: run \"make postgres\", install it, or name a server in "+named)
	return names
}

// use returns the server of a name, started if need be.
func use(t testing.TB, name string) *Server {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if s, ok := running[name]; ok {
		return s
	}
	s := &Server{dsn: os.Getenv(named), stop: func() error { return nil }}
	if s.dsn == "" {
		bin, err := programs[name]()
		require.NoError(t, err)
		s, err = start(bin, "-c", "fsync=off", "-c", "full_page_writes=off")
		require.NoError(t, err)
	}
	s.Name = name
	running[name] = s
	return s
}

// Database makes an empty database, which is dropped when the test ends, and
// returns its DSN. Options are those of CREATE DATABASE.
func (s *Server) Database(t testing.TB, options ...string) string {
	t.Helper()
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	s.Exec(t, "CREATE DATABASE "+name+" TEMPLATE template0 "+strings.Join(options, " "))
	t.Cleanup(func() { s.Exec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return s.dsn + " dbname=" + name
}

// Schema makes an empty schema in the database that everybody has, which is dropped
// when the test ends, and returns a DSN of which it is the search path. It costs
// a hundredth of a database; notifications reach every listener in any.
func (s *Server) Schema(t testing.TB) string {
	t.Helper()
	name := "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	s.Exec(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { s.Exec(t, "DROP SCHEMA "+name+" CASCADE") })
	return s.dsn + " dbname=postgres search_path=" + name
}

// Limited returns how a role reaches a schema of Schema that may read and write the tables
// it has by now, and make or change none. On a named server it is the DSN itself.
func (s *Server) Limited(t testing.TB, dsn string) string {
	t.Helper()
	if s.Name == "named" {
		return dsn
	}
	schema := dsn[strings.LastIndex(dsn, "=")+1:]
	s.Exec(t, "GRANT USAGE ON SCHEMA "+schema+" TO "+Role+"; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+schema+" TO "+Role)
	return strings.Replace(dsn, "user=postgres", "user="+Role+" password='"+Password+"'", 1)
}

// Exec runs a statement in the database that everybody has.
func (s *Server) Exec(t testing.TB, statement string) {
	t.Helper()
	require.NoError(t, s.exec(statement))
}

func (s *Server) exec(statement string) error {
	ctx := context.Background() // a busy machine takes its time
	conn, err := pgx.Connect(ctx, s.dsn+" dbname=postgres")
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
