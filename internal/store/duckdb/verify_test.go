// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/verify"
)

func TestVerifyReadsAllAndChangesNothing(t *testing.T) {
	t.Parallel()
	dir, clk, perFile := soundStore(t, true)
	files := partitionFiles(t, dir)
	verified := func() map[string]verify.File {
		before := map[string]map[string][]byte{}
		for _, path := range files {
			before[path] = filesOf(t, path)
		}
		list, err := verify.Store(t.Context(), dir)
		require.NoError(t, err)
		found := map[string]verify.File{}
		for _, v := range list {
			found[v.Path] = v
		}
		for _, path := range files {
			require.Equal(t, before[path], filesOf(t, path))
		}
		return found
	}
	found := verified()
	require.Len(t, found, 4)
	for i, path := range files {
		require.Equal(t, verify.File{Path: path, State: verify.Sound, Spans: int64(perFile[i]), Readable: int64(perFile[i])}, found[path])
	}

	// Blocks of the first, one after the other until it is one with spans, and the
	// log of the third.
	const block = 131072
	for at := int64(12288 + 2*block + 500); found[files[0]].Readable > 0; at += block {
		flip(t, files[0], at, 8)
		found = verified()
		require.Equal(t, partitions.Damaged, found[files[0]].State)
	}
	flip(t, files[2]+".wal", 3000, 8)
	newer, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	newer.SetMaxOpenConns(1)
	_, err = newer.ExecContext(t.Context(), "ATTACH "+sqltext.Quoted(files[1])+" AS p; UPDATE p.format SET version = 9999")
	require.NoError(t, err)
	require.NoError(t, newer.Close())
	found = verified()
	require.Contains(t, found[files[0]].Problem, "Corrupt database file")
	require.EqualValues(t, 100, found[files[0]].Spans)
	require.Zero(t, found[files[0]].Readable, "they are one row group")
	require.Equal(t, partitions.UnknownFormat, found[files[1]].State)
	require.Contains(t, found[files[1]].Problem, "has format 9999, which a newer release of Touchstone wrote")
	require.Equal(t, partitions.Damaged, found[files[2]].State)
	require.Contains(t, found[files[2]].Problem, "Failure while replaying")
	require.Equal(t, verify.Sound, found[files[3]].State)

	require.NoError(t, os.Remove(files[1]))
	db := open(t, Config{Dir: dir, Now: clk.now})
	_, err = verify.Store(t.Context(), dir)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	eventually(t, func() error {
		_, err := db.countFor(t.Context(), damageEnvs()[envOfFile(files[0])])
		return err
	})
	require.NoError(t, db.Close())
	list, err := verify.Store(t.Context(), dir)
	require.NoError(t, err)
	aside := 0
	for _, v := range list {
		if v.Aside {
			aside++
			require.Equal(t, partitions.Damaged, v.State)
		}
	}
	require.Equal(t, 2, aside)
	_, err = verify.Store(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "has no store of spans")
}
