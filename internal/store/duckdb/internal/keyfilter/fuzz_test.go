// SPDX-License-Identifier: Apache-2.0

package keyfilter_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
)

// FuzzRead reads files that are not filters: none does harm, nor takes more memory
// than a file of its size has any use for.
func FuzzRead(f *testing.F) {
	stamp := keyfilter.Stamp{Serial: 7, Next: 300}
	path := filepath.Join(f.TempDir(), "p.keys")
	require.NoError(f, filled(300).Write(path, stamp))
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "p.keys")
		for _, text := range [][]byte{b, digested(b)} {
			require.NoError(t, os.WriteFile(path, text, 0o600))
			read, err := keyfilter.Read(path, stamp)
			if err != nil {
				continue
			}
			require.LessOrEqual(t, read.Bytes(), 2*len(text)+4096)
			for i := range uint64(50) {
				read.MayHave(3, identity(i))
			}
		}
	})
}

// digested rewrites the digest of a file, without which nothing gets any further.
func digested(b []byte) []byte {
	if len(b) < 8 {
		return b
	}
	body := b[: len(b)-8 : len(b)-8]
	return binary.LittleEndian.AppendUint64(body, xxhash.Sum64(body))
}
