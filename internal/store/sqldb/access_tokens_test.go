// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Two access tokens are valid at once, of which both processes of a store know, and no
// token itself is stored.
func TestAccessTokensAreKeptAsDigests(t *testing.T) {
	t.Parallel()
	exercise := func(t *testing.T, one, other *DB) {
		t.Helper()
		list, err := other.AccessTokens(t.Context())
		require.NoError(t, err)
		require.Empty(t, list)
		digests := []tenant.Digest{tenant.DigestOf("first"), tenant.DigestOf("second"), tenant.DigestOf("third"), tenant.DigestOf("fourth")}
		for i, x := range []struct {
			keep bool
			want []tenant.Digest
		}{
			{true, digests[:1]}, {true, []tenant.Digest{digests[1], digests[0]}}, {true, []tenant.Digest{digests[2], digests[1]}}, {false, digests[3:]},
		} {
			require.NoError(t, one.RenewAccessToken(t.Context(), digests[i], x.keep))
			list, err := other.AccessTokens(t.Context())
			require.NoError(t, err)
			require.Equal(t, x.want, list)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "control.db")
		both := make([]*DB, 2)
		for i := range both {
			d, err := Open(t.Context(), Config{Path: path})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, d.Close()) })
			both[i] = d
		}
		exercise(t, both[0], both[1])
	})
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Schema(t)
		exercise(t, openDSN(t, dsn), openDSN(t, dsn))
	})
}
