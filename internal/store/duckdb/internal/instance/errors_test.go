// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestAFullDiskIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		err := Classify("dir", "write spans", &fs.PathError{Op: "write", Path: "journal", Err: cause})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Equal(t, "write spans: the disk of the store is full", fault.Message(err))
	}
	err := Classify("dir", "write spans", &fs.PathError{Op: "write", Path: "journal", Err: syscall.EBADF})
	require.Equal(t, fault.Internal, fault.KindOf(err))
}
