// SPDX-License-Identifier: Apache-2.0

package queries

import "golang.org/x/sys/unix"

// How much nicer the thread is than the process, and the nicest there is.
// https://man7.org/linux/man-pages/man7/sched.7.html
const (
	nicer   = 10
	nicest  = 19
	rawZero = 20 // what the system call returns for a nice value of 0
)

// isMainThread reports whether the calling thread is the first of the process.
func isMainThread() bool { return unix.Gettid() == unix.Getpid() }

// yieldToOthers lowers the priority of the calling thread, for good. Where it cannot
// the thread stays as it is.
func yieldToOthers() {
	tid := unix.Gettid()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		return
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, tid, min(rawZero-raw+nicer, nicest))
}
