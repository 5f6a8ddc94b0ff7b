// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestBackupIsTheDatabaseAtOneMoment(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	org := tenant.Organization{ID: "org", Name: "before", Retention: time.Hour, CreatedAt: time.Unix(1, 0).UTC()}
	require.NoError(t, d.CreateOrganization(t.Context(), org, nil))
	secret, err := d.Secret(t.Context(), "cursors")
	require.NoError(t, err)

	path := filepath.Join(t.TempDir(), "control.db")
	require.NoError(t, d.Backup(t.Context(), path))
	_, err = d.ChangeOrganization(t.Context(), "org", func(o *tenant.Organization) error { o.Name = "after"; return nil })
	require.NoError(t, err)

	st, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	require.NoError(t, Verify(t.Context(), path))
	kept, err := Open(t.Context(), Config{Path: path})
	require.NoError(t, err)
	defer func() { require.NoError(t, kept.Close()) }()
	list, err := kept.Organizations(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "before", list[0].Name)
	same, err := kept.Secret(t.Context(), "cursors")
	require.NoError(t, err)
	require.Equal(t, secret, same)

	require.True(t, fault.Is(d.Backup(t.Context(), path), fault.Unavailable), "a file that is there stays as it is")
	require.NoError(t, d.Close())
	require.True(t, fault.Is(d.Backup(t.Context(), filepath.Join(t.TempDir(), "late")), fault.Unavailable))
}
