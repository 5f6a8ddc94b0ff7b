// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestDiskThatIsFull fills a file system of its own, which a process may have
// where the kernel gives it a namespace.
func TestDiskThatIsFull(t *testing.T) {
	t.Parallel()
	namespace := func(c *exec.Cmd) {
		c.Env = append(c.Env, childMount+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}
	probe := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^$")
	namespace(probe)
	probe.Env = os.Environ()
	if err := probe.Run(); err != nil {
		t.Logf("no namespace of its own for a process here (%v): files that cannot grow must do", err)
		return
	}
	for _, name := range fillers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectRecovery(t, start(t, name, t.TempDir(), namespace))
		})
	}
}

// mountSmall mounts a file system of 24 MiB on dir; the result makes it larger.
func mountSmall(dir string) (func() error, error) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		return nil, err
	}
	return func() error {
		return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=400m")
	}, nil
}
