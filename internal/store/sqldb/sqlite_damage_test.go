// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A damaged database is refused in one sentence, and neither it nor its log is
// changed; a sound one with a log opens.
func TestADamagedDatabaseIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	d := open(t, path)
	for i := range 30 {
		org, keys := storetest.NewOrganization(fmt.Sprint("acme", i), "prd")
		require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
		require.NoError(t, store.Setups(d).Create(t.Context(), storetest.NewSetup(keys[0].Environment, "quality")))
	}
	require.NoError(t, d.engine.scrub(t.Context(), d.engine.pool)) // all of it is in the file
	org, keys := storetest.NewOrganization("last", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys)) // and this in the log
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.NotEmpty(t, log)

	try := func(change func(b []byte) []byte) (string, error) {
		path := filepath.Join(t.TempDir(), "control.db")
		require.NoError(t, os.WriteFile(path, change(append([]byte(nil), file...)), 0o600))
		require.NoError(t, os.WriteFile(path+"-wal", log, 0o600))
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := Open(t.Context(), Config{Path: path})
		if err == nil {
			require.NoError(t, d.Close())
			return path, nil
		}
		after, errRead := os.ReadFile(path)
		require.NoError(t, errRead)
		require.Equal(t, before, after)
		kept, errRead := os.ReadFile(path + "-wal")
		require.NoError(t, errRead)
		require.Equal(t, log, kept)
		return path, err
	}
	_, err = try(func(b []byte) []byte { return b })
	require.NoError(t, err)
	for name, change := range map[string]func(b []byte) []byte{
		"no database": func(b []byte) []byte { copy(b, "this is something else"); return b },
		"half":        func(b []byte) []byte { return b[:len(b)/2/4096*4096] },
		"page types": func(b []byte) []byte {
			for at := 4096; at < len(b); at += 4096 {
				b[at] ^= 0xff
			}
			return b
		},
	} {
		path, err := try(change)
		var damaged *DamagedError
		require.ErrorAs(t, err, &damaged, name)
		require.ErrorContains(t, err, fmt.Sprintf("open control store %q: the file is damaged and was left as it is: restore it", path))
	}
}
