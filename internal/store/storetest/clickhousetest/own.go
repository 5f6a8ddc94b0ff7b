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
// whatever server is named for tests, since that one is not for killing.
func Own(t testing.TB) *Server {
	t.Helper()
	p, err := prepare(t.Context())
	require.NoError(t, err)
	t.Cleanup(p.stop)
	// While it is killed no connection that somebody makes may take its port.
	p.address, err = testbed.FreeAddress()
	require.NoError(t, err)
	require.NoError(t, p.run())
	return &Server{p}
}

// DSN returns the DSN of the server, which stays the same.
func (s *Server) DSN() string { return "http://" + s.process.address + "/default" }

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
