// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

const heldPath = "SQLDB_TEST_HOLD" // names the database to the process that holds it

// TestHolder is the other process of the tests below, and nothing without it.
func TestHolder(t *testing.T) {
	path := os.Getenv(heldPath)
	if path == "" {
		return
	}
	d := open(t, path)
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	select {} // until it is killed
}

func hold(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHolder$")
	other.Env = append(os.Environ(), heldPath+"="+path)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	_, err = other.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return other
}

func TestAnotherProcessKeepsTheDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	other := hold(t, path)
	_, err := Open(t.Context(), Config{Path: path})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "in use by another process")

	// Killed without a word, it leaves its lock and loses nothing.
	require.NoError(t, other.Process.Kill())
	require.Error(t, other.Wait())
	d := open(t, path)
	keys, err := d.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
}

func TestFullDiskIsUnavailable(t *testing.T) {
	t.Parallel()
	d := open(t, filepath.Join(t.TempDir(), "control.db"))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	limit := func(pages int) {
		_, err := d.bun.ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", pages))
		require.NoError(t, err)
	}
	limit(1) // no page beyond those in use

	s := storetest.NewSetup(keys[0].Environment, "quality")
	s.EntityValue = strings.Repeat("x", 1<<20)
	err := d.CreateSetup(t.Context(), s)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.Contains(t, fault.Message(err), "full")
	big, bigKeys := storetest.NewOrganization(strings.Repeat("x", 1<<20), "prd")
	err = d.CreateOrganization(t.Context(), big, bigKeys)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)

	limit(1 << 20) // there is room again: the store goes on as if nothing had been
	require.NoError(t, d.CreateSetup(t.Context(), s))
	require.NoError(t, d.CreateOrganization(t.Context(), big, bigKeys))
}

func TestOpenRefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	require.NoError(t, os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 500)), 0o600))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))

	for path, kind := range map[string]fault.Kind{
		"":                                fault.Internal,
		garbage:                           fault.Internal,
		dir:                               fault.Unavailable,
		filepath.Join(file, "control.db"): fault.Unavailable,
	} {
		_, err := Open(t.Context(), Config{Path: path})
		require.Equal(t, kind, fault.KindOf(err), "%q: %v", path, err)
		require.ErrorContains(t, err, path)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	d := open(t, path)
	_, err := d.bun.ExecContext(t.Context(), "INSERT INTO migrations (name, group_id) VALUES ('9999', 2)")
	require.NoError(t, err)
	require.NoError(t, d.Close())
	_, err = Open(t.Context(), Config{Path: path})
	require.ErrorContains(t, err, "newer release")
	require.ErrorContains(t, err, "9999")
}

func TestMigrationsMayBeCutShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	d := open(t, path)
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	_, err := d.bun.ExecContext(t.Context(), "DELETE FROM migrations") // ran, but not noted
	require.NoError(t, err)
	require.NoError(t, d.Close())
	stored, err := open(t, path).Keys(t.Context())
	require.NoError(t, err)
	require.Equal(t, keys, stored)
}

func TestDamagedRowsAreErrors(t *testing.T) {
	t.Parallel()
	d := open(t, filepath.Join(t.TempDir(), "control.db"))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	s := storetest.NewSetup(keys[0].Environment, "quality")
	require.NoError(t, d.CreateSetup(t.Context(), s))
	for _, damage := range []string{
		`UPDATE setups SET selector = '{'`, `UPDATE setups SET selector = '[{"key":"\\q"}]'`,
		`UPDATE setups SET selector = '[]', entity_type = '\x0'`, `UPDATE setups SET entity_type = '\xgg'`,
	} {
		_, err := d.bun.ExecContext(t.Context(), damage)
		require.NoError(t, err)
		_, err = d.Setup(t.Context(), s.EnvironmentID, s.ID)
		require.Equal(t, fault.Internal, fault.KindOf(err), "%s: %v", damage, err)
	}
	require.Error(t, new(moment).Scan("yesterday"))
	require.Error(t, new(text).Scan(1))
	require.Error(t, new(document[int]).Scan(1))
	require.ErrorContains(t, classifySQLite(errors.New("x"), "doing"), "doing: x")
}
