// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func opened(t *testing.T) *Instance {
	t.Helper()
	in, err := Open(t.Context(), Options{Dir: t.TempDir(), MemoryLimit: 64 << 20, Threads: 1, Connections: 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.Close()) })
	return in
}

// held returns what the engine counts of its memory, in bytes.
func (in *Instance) held(ctx context.Context, t *testing.T) (bytes int64) {
	t.Helper()
	require.NoError(t, in.Pool.QueryRowContext(ctx, "SELECT sum(memory_usage_bytes) FROM duckdb_memory()").Scan(&bytes))
	return bytes
}

func limitOf(t *testing.T, in *Instance) (limit string) {
	t.Helper()
	require.NoError(t, in.Pool.QueryRowContext(t.Context(), "SELECT current_setting('memory_limit')").Scan(&limit))
	return limit
}

func TestBlocksThatWereReadAreGivenBack(t *testing.T) {
	t.Parallel()
	in := opened(t)
	before := limitOf(t, in)
	require.NoError(t, in.Run("CREATE TABLE x AS SELECT hash(i) AS h FROM range(1_000_000) r(i); CHECKPOINT"))
	require.NoError(t, in.Run("SELECT sum(h) FROM x"))
	require.Greater(t, in.held(t.Context(), t), int64(6<<20))
	require.NoError(t, in.GiveBack(t.Context()))
	require.Greater(t, in.held(t.Context(), t), int64(6<<20), "what was read stays")
	require.NoError(t, in.GiveBackAll(t.Context()))
	require.Less(t, in.held(t.Context(), t), int64(2<<20))
	require.Equal(t, before, limitOf(t, in))
	require.NoError(t, in.Run("SELECT sum(h) FROM x"))
}

func TestWhatIsInUseIsNotGivenBack(t *testing.T) {
	t.Parallel()
	in := opened(t)
	before := limitOf(t, in)
	require.NoError(t, in.Run("BEGIN; CREATE TABLE x AS SELECT hash(i) AS h FROM range(1_000_000) r(i)"))
	require.NoError(t, in.GiveBackAll(t.Context()))
	require.Equal(t, before, limitOf(t, in))
	require.NoError(t, in.Run("COMMIT"))
	var n int
	require.NoError(t, in.Pool.QueryRowContext(t.Context(), "SELECT count(DISTINCT h) FROM x").Scan(&n))
	require.Equal(t, 1_000_000, n)
}

func TestNothingButTheLimitCanBeSet(t *testing.T) {
	t.Parallel()
	in := opened(t)
	for _, set := range []string{
		"SET threads = 4", "SET enable_external_access = true", "SET lock_configuration = false",
		"SET allowed_configs = ['threads']", "RESET allowed_configs", "SET allowed_directories = ['/']",
	} {
		_, err := in.Pool.ExecContext(t.Context(), set)
		require.Error(t, err, set)
	}
	require.NoError(t, in.GiveBack(t.Context()))
}

func TestMemoryByUse(t *testing.T) {
	t.Parallel()
	in := opened(t)
	held := func(use Use) int64 {
		bytes, err := in.Memory(t.Context(), use)
		require.NoError(t, err)
		return bytes
	}
	for use, table := range map[Use]string{
		ForTables:  "CREATE TEMP TABLE x AS SELECT hash(i) AS h FROM range(100_000) r(i)",
		ForIndexes: "CREATE TABLE x AS SELECT i FROM range(100_000) r(i); CREATE UNIQUE INDEX by_i ON x (i)",
	} {
		require.Zero(t, held(use), use)
		require.NoError(t, in.Run(table))
		require.Greater(t, held(use), int64(100_000), use)
		require.NoError(t, in.Run("DROP TABLE x"))
		require.Zero(t, held(use), use)
	}
}
