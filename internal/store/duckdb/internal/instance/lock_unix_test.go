// SPDX-License-Identifier: Apache-2.0

//go:build unix

package instance

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// A process that is being started has the descriptors of its parent for a moment, and
// with them its locks.
func TestADirectoryIsUnlockedThoughADescriptorIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := LockDirectory(dir)
	require.NoError(t, err)
	_, err = LockDirectory(dir)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	left, err := syscall.Dup(int(first.file.Fd()))
	require.NoError(t, err)
	defer syscall.Close(left)
	require.NoError(t, first.Release())
	second, err := LockDirectory(dir)
	require.NoError(t, err)
	require.NoError(t, second.Release())
}
