// SPDX-License-Identifier: Apache-2.0

package freemem

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fileMemory returns what the process has of the pages of files, in KiB.
func fileMemory(t *testing.T) (kib int64) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if text, ok := strings.CutPrefix(line, "RssFile:"); ok {
			_, err := fmt.Sscan(text, &kib)
			require.NoError(t, err)
			return kib
		}
	}
	t.Fatal("no RssFile")
	return 0
}

// Pages of the binary are read, given back, and the same when they are read again.
// None of them may be written to.
func TestPagesOfTheBinaryAreGivenBack(t *testing.T) {
	list, err := binaryMappings()
	require.NoError(t, err)
	require.NotEmpty(t, list)
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	binary, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	memory, err := os.Open("/proc/self/mem")
	require.NoError(t, err)
	defer memory.Close()
	pages := func() {
		for _, m := range list {
			var line string
			var offset int
			for l := range strings.Lines(string(maps)) {
				if strings.HasPrefix(l, fmt.Sprintf("%08x-%08x ", m.from, m.to)) {
					line = l
				}
			}
			fields := strings.Fields(line)
			require.Greater(t, len(fields), 5)
			require.Equal(t, "r-", fields[1][:2])
			_, err := fmt.Sscanf(fields[2], "%x", &offset)
			require.NoError(t, err)
			end := min(offset+int(m.to-m.from), len(binary))
			got := make([]byte, end-offset)
			_, err = memory.ReadAt(got, int64(m.from))
			require.NoError(t, err)
			require.Equal(t, string(binary[offset:end]), string(got), line)
		}
	}
	pages()
	before := fileMemory(t)
	require.NoError(t, freePages())
	require.Less(t, fileMemory(t), before*3/4)
	pages()
}
