// SPDX-License-Identifier: Apache-2.0

//go:build unix && !netbsd && !openbsd && !solaris && !illumos && !aix

package instance

import "syscall"

// FreeBytes returns the space on dir's disk that this process may still use, in
// bytes.
func FreeBytes(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil //nolint:unconvert // the types differ between systems
}
