// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// What DuckDB says of its memory says nothing of a file.
func TestWhatIsNoDamage(t *testing.T) {
	t.Parallel()
	for text, memory := range map[string]bool{
		"IO Error: Checkpoint failed for database \"p5\". The database has been invalidated. Original error: Corrupted in-memory column - column with index 0 has misaligned count (row group has 10240 rows, column has 12288)": false,
		"append to spans: Failed to append: failed to allocate data of size 32.0 KiB (192.0 MiB/192.0 MiB used)":                                                                                                                 true,
		"TransactionContext Error: Failed to commit: could not allocate block of size 128.0 KiB (191.9 MiB/192.0 MiB used)":                                                                                                      true,
	} {
		err := errors.New(text)
		require.False(t, IsDamage(err), text)
		require.Equal(t, memory, OutOfMemory(err), text)
	}
	require.True(t, IsDamage(errors.New("IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block 7")))
}
