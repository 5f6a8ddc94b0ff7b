// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// Server is a server of one test, which may be killed.
type Server struct{ process *process }

// Own starts a server that is the test's own, and goes with it: the engine in a process,
// whatever server is named for tests, since that one is not for killing. Its user may make
// databases, and else what the grants say; where there are none, everything.
func Own(t testing.TB, grants ...string) *Server {
	t.Helper()
	p, err := prepare(t.Context())
	require.NoError(t, err)
	p.grants = grants
	t.Cleanup(p.stop)
	// While it is killed no connection that a caller makes may take its port.
	p.address, err = testbed.FreeAddress()
	require.NoError(t, err)
	require.NoError(t, p.run())
	return &Server{p}
}

// DSN returns the DSN of the server, which stays the same.
func (s *Server) DSN() string { return "http://" + s.process.address + "/default" }

// OnDatabases are what a GRANT names to be about all that Database makes.
const OnDatabases = prefix + "*.*"

// Database is the function of that name, on this server.
func (s *Server) Database(t testing.TB, name string) string {
	t.Helper()
	return databaseOn(t, s.DSN(), name)
}

// Grant has the user of the server do what the grants say, and nothing else. The server is
// killed and started again for it.
func (s *Server) Grant(t testing.TB, grants ...string) {
	t.Helper()
	s.Kill(t)
	s.process.grants = grants
	s.Start(t)
}

// Kill kills the server in the middle of what it does.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.command.Process.Kill())
	_ = s.process.command.Wait() // it was killed
	_ = s.process.in.Close()
}

// Start starts it again, with what it has on disk.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.run())
}
