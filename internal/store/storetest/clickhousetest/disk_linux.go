// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Disk is the disk of a server's own.
type Disk struct{ dir string }

// OnDisk starts a server that is the test's own and whose files lie on a disk of so many
// bytes: a file system in memory, in a namespace of the process. It must not be killed,
// since the disk goes with it.
func OnDisk(t testing.TB, size int64) (*Server, *Disk) {
	t.Helper()
	p, err := prepare(t.Context())
	require.NoError(t, err)
	p.diskSize = size
	require.NoError(t, p.run(), "this test needs namespaces of users and mounts")
	t.Cleanup(p.stop)
	return &Server{p}, &Disk{filepath.Join("/proc", fmt.Sprint(p.command.Process.Pid), "root", p.dir)}
}

// Fill fills the disk to the last byte.
func (d *Disk) Fill(t testing.TB) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.dir, "ballast"))
	require.NoError(t, err)
	chunk := make([]byte, 1<<16)
	for len(chunk) > 0 {
		if _, err := f.Write(chunk); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			chunk = chunk[:len(chunk)/2]
		}
	}
	require.NoError(t, f.Close())
}

// Free gives back what Fill took.
func (d *Disk) Free(t testing.TB) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(d.dir, "ballast")))
}

// apart gives a process namespaces in which it may mount.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

// mountDisk mounts a disk of so many bytes on dir.
func mountDisk(dir, size string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size)
}
