// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

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
	err := store.Setups(d).Create(t.Context(), s)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.Contains(t, fault.Message(err), "full")
	big, bigKeys := storetest.NewOrganization(strings.Repeat("x", 1<<20), "prd")
	err = d.CreateOrganization(t.Context(), big, bigKeys)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)

	limit(1 << 20) // there is room again: the store goes on as if nothing had been
	require.NoError(t, store.Setups(d).Create(t.Context(), s))
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

func TestDamagedRowsAreErrors(t *testing.T) {
	t.Parallel()
	d := open(t, filepath.Join(t.TempDir(), "control.db"))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	s := storetest.NewSetup(keys[0].Environment, "quality")
	require.NoError(t, store.Setups(d).Create(t.Context(), s))
	for _, body := range []string{`{`, `[]`, ``, `{"selector": 1}`} {
		_, err := d.bun.ExecContext(t.Context(), "UPDATE documents SET body = ?", body)
		require.NoError(t, err)
		_, err = store.Setups(d).Get(t.Context(), s.EnvironmentID, s.ID)
		require.Equal(t, fault.Internal, fault.KindOf(err), "%s: %v", body, err)
		_, err = store.Setups(d).List(t.Context(), s.EnvironmentID)
		require.ErrorContains(t, err, s.ID)
	}
	require.Error(t, new(moment).Scan("yesterday"))
	require.ErrorContains(t, classifySQLite(errors.New("x"), "doing"), "doing: x")
}
