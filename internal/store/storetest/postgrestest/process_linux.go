// SPDX-License-Identifier: Apache-2.0

package postgrestest

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// immediate ends a server at once, as a crash does:
// https://www.postgresql.org/docs/current/server-shutdown.html
const immediate = syscall.SIGQUIT

// nobody returns the ids of the user that servers run as where tests run as root,
// which PostgreSQL refuses.
func nobody() (uid, gid uint32, err error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, err
	}
	parsedUID, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return 0, 0, err
	}
	parsedGID, err := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(parsedUID), uint32(parsedGID), err
}

// alone reports whether tests run as the only user of a namespace of users, where
// no other is there to run as: /proc/self/uid_map has one line, and that of all
// users ends with their number.
func alone() bool {
	users, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && os.Getuid() == 0 && !strings.HasSuffix(strings.TrimSpace(string(users)), "4294967295")
}

// give makes a directory that of the user that servers run as.
func give(dir string) error {
	if os.Getuid() != 0 || alone() {
		return nil
	}
	uid, gid, err := nobody()
	if err != nil {
		return err
	}
	return os.Chown(dir, int(uid), int(gid))
}

// ordinary has a command run as an ordinary user, and end when the test binary
// does, however that ends.
func ordinary(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: immediate}
	if alone() { // in a namespace of its own it is another user, and outside the same
		const some = 1000
		same := []syscall.SysProcIDMap{{ContainerID: some, HostID: 0, Size: 1}}
		c.SysProcAttr.Cloneflags, c.SysProcAttr.UidMappings, c.SysProcAttr.GidMappings = syscall.CLONE_NEWUSER, same, same
		c.SysProcAttr.Credential = &syscall.Credential{Uid: some, Gid: some, NoSetGroups: true}
		return
	}
	if uid, gid, err := nobody(); err == nil && os.Getuid() == 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
}

// run starts a command and closes the channel when it has ended. The signal that
// ordinary asks for comes when the thread ends that started the command, so that
// one lives as long: https://go.dev/issue/27505.
func run(c *exec.Cmd) (ended <-chan struct{}, err error) {
	over, started := make(chan struct{}), make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(over)
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // a caller that waits asks whether it answers
		}
	}()
	return over, <-started
}
