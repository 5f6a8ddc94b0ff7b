// SPDX-License-Identifier: Apache-2.0

package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Role may use the databases of a started server and has a password; a server
// lets everybody else in without one.
const Role, Password = "guarded", "a password to be guarded"

// Own is a server of one test, which may stop it: it keeps what it has said to be
// stored.
type Own struct {
	*Server
	bin, dir string
	options  []string
}

// Start starts a server for one test, with options of its command line.
func Start(t *testing.T, options ...string) *Own {
	t.Helper()
	var bin string
	for _, name := range names(t) {
		if find := programs[name]; bin == "" && find != nil {
			bin, _ = find()
		}
	}
	require.NotEmpty(t, bin, "the test stops its server, so it is not run on a named one")
	dir, err := prepare(bin)
	require.NoError(t, err)
	o := &Own{bin: bin, dir: dir, options: options}
	t.Cleanup(func() {
		o.Stop(t)
		require.NoError(t, os.RemoveAll(dir))
	})
	o.Continue(t)
	return o
}

// Stop ends the server as a crash would. It does nothing twice.
func (o *Own) Stop(t *testing.T) {
	t.Helper()
	if o.Server != nil {
		require.NoError(t, o.stop())
		o.Server = nil
	}
}

// Continue starts the server again.
func (o *Own) Continue(t *testing.T) {
	t.Helper()
	s, err := serve(o.bin, o.dir, o.options...)
	require.NoError(t, err)
	o.Server = s
}

// start starts a server in a new directory, which goes when it stops.
func start(bin string, options ...string) (*Server, error) {
	dir, err := prepare(bin)
	if err != nil {
		return nil, err
	}
	s, err := serve(bin, dir, options...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := s.stop
	s.stop = func() error { return errors.Join(stop(), os.RemoveAll(dir)) }
	return s, nil
}

// prepare makes a directory with the files of a server.
func prepare(bin string) (dir string, err error) {
	// The path of a socket has 107 bytes at most.
	dir, err = os.MkdirTemp("/tmp", "postgres-*")
	if err == nil {
		err = give(dir)
	}
	if err != nil {
		return "", err
	}
	initdb := exec.CommandContext(context.Background(), filepath.Join(bin, "initdb"),
		"-D", filepath.Join(dir, "data"), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
	ordinary(initdb)
	initdb.Dir = dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("initdb: %w\n%s", err, out), os.RemoveAll(dir))
	}
	rules := filepath.Join(dir, "data", "pg_hba.conf")
	return dir, os.WriteFile(rules, []byte("local all "+Role+" scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"), 0o644)
}

// serve runs a server until it is stopped, and waits until it answers.
func serve(bin, dir string, options ...string) (*Server, error) {
	arguments := append([]string{
		"-D", filepath.Join(dir, "data"),
		"-c", "unix_socket_directories=" + dir, "-c", "listen_addresses=",
		"-c", "max_connections=200", "-c", "shared_buffers=16MB",
	}, options...)
	postgres := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), arguments...)
	ordinary(postgres)
	postgres.Dir = dir
	var said bytes.Buffer
	postgres.Stdout, postgres.Stderr = &said, &said
	ended, err := run(postgres)
	if err != nil {
		return nil, err
	}
	s := &Server{dsn: fmt.Sprintf("host=%s user=postgres sslmode=disable", dir)}
	s.stop = sync.OnceValue(func() error {
		err := postgres.Process.Signal(immediate)
		<-ended
		return err
	})
	for ; ; time.Sleep(20 * time.Millisecond) { // until it answers or ends
		if s.exec("SELECT 1") == nil {
			return s, s.guard()
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("PostgreSQL ended: %s", said.String())
		default:
		}
	}
}

// guard makes the role that has a password.
func (s *Server) guard() error {
	return s.exec(`DO $$ BEGIN
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '` + Role + `') THEN
			CREATE ROLE ` + Role + ` LOGIN PASSWORD '` + Password + `';
		END IF;
	END $$`)
}
