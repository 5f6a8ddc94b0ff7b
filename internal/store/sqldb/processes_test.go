// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// The environment variables of TestOtherProcess.
const (
	sharedPath = "SQLDB_TEST_PATH" // of the database
	sharedName = "SQLDB_TEST_NAME" // of the organization to make
)

// TestOtherProcess is the other process of the tests below, and nothing without
// them.
func TestOtherProcess(t *testing.T) {
	path := os.Getenv(sharedPath)
	if path == "" {
		return
	}
	d := openPatient(t, path)
	org, keys := storetest.NewOrganization(os.Getenv(sharedName), "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	fmt.Println("made")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	select {} // until it is killed
}

// openPatient opens a database for which others are waited for as long as that takes: a busy
// machine lets one of many wait for any time.
func openPatient(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{Path: path, patience: time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// process starts another process, which opens the database and makes an
// organization. The function waits until it has, and gives what it said.
func process(t *testing.T, path, name string) (other *exec.Cmd, made func() (string, error)) {
	t.Helper()
	return child(t, "", "TestOtherProcess", sharedPath+"="+path, sharedName+"="+name)
}

// child starts one test of this package in a process of its own, in a working
// directory of its own unless that is "". The function waits for the next line that it says.
func child(t *testing.T, dir, test string, environment ...string) (other *exec.Cmd, said func() (string, error)) {
	t.Helper()
	other = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$")
	other.Dir = dir
	other.Env = append(os.Environ(), environment...)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	_, err = other.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	return other, func() (string, error) { return bufio.NewReader(out).ReadString('\n') }
}

func requireMade(t *testing.T, made func() (string, error)) {
	t.Helper()
	said, err := made()
	require.NoError(t, err)
	require.Equal(t, "made\n", said)
}

func kill(t *testing.T, other *exec.Cmd) {
	t.Helper()
	require.NoError(t, other.Process.Kill())
	require.Error(t, other.Wait())
}

func TestAnotherProcessMayHaveTheDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	other, made := process(t, path, "acme")
	requireMade(t, made)
	d := open(t, path)
	keys, err := d.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
	s := storetest.NewSetup(keys[0].Environment, "quality")
	require.NoError(t, store.Setups(d).Create(t.Context(), s))

	// Killed without a word, it loses nothing and blocks no other process.
	kill(t, other)
	s, err = store.Setups(d).Replace(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	d = open(t, path)
	got, err := store.Setups(d).Get(t.Context(), s.EnvironmentID, s.ID)
	require.NoError(t, err)
	require.Equal(t, s, got)
	changes, err := d.Changes(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, int64(3), changes.Number)
}

// Some processes start at once on no database at all: one of them makes it.
func TestProcessesMakeTheDatabaseOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	const many = 8
	others := make([]*exec.Cmd, many)
	mades := make([]func() (string, error), many)
	for i := range many {
		others[i], mades[i] = process(t, path, fmt.Sprint("organization ", i))
	}
	for i := range many {
		requireMade(t, mades[i])
		kill(t, others[i])
	}
	d := open(t, path)
	keys, err := d.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, many)
}

func TestHandlesWaitForOneAnother(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	handles := []*DB{openPatient(t, path), openPatient(t, path), openPatient(t, path)}
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, handles[0].CreateOrganization(t.Context(), org, keys))
	s := storetest.NewSetup(keys[0].Environment, "quality")
	require.NoError(t, store.Setups(handles[1]).Create(t.Context(), s))
	const additions = 30
	errs := make(chan error, len(handles))
	var wg sync.WaitGroup
	for _, d := range handles {
		wg.Go(func() {
			for done := 0; done < additions; {
				now, err := store.Setups(d).Get(t.Context(), s.EnvironmentID, s.ID)
				if err == nil {
					now.EntityValue += "+"
					_, err = store.Setups(d).Replace(t.Context(), now)
				}
				switch {
				case err == nil:
					done++
				case !fault.Is(err, fault.Conflict):
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(t, <-errs)
	for _, d := range handles {
		got, err := store.Setups(d).Get(t.Context(), s.EnvironmentID, s.ID)
		require.NoError(t, err)
		require.Len(t, got.EntityValue, len(handles)*additions)
	}
}

func TestALockThatDoesNotEndIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	holder, d := open(t, path), open(t, path)
	org, keys := storetest.NewOrganization("acme", "prd")
	e := storetest.NewEvaluator(keys[0].Environment, "quality")
	_, err := d.bun.ExecContext(t.Context(), "PRAGMA busy_timeout = 1")
	require.NoError(t, err)
	require.NoError(t, holder.write(t.Context(), "hold", func(context.Context, bun.Tx) error {
		err := d.CreateOrganization(t.Context(), org, keys)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
		require.Contains(t, fault.Message(err), "in use by another process")
		_, err = store.Evaluators(d).List(t.Context(), e.EnvironmentID) // who reads does not wait
		require.NoError(t, err)
		_, err = d.Changes(t.Context(), 0)
		require.NoError(t, err)
		return nil
	}))
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	require.NoError(t, store.Evaluators(d).Create(t.Context(), e))
}
