// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ticksPerSecond is the kernel's USER_HZ, 100 on every Linux that Go runs on.
const ticksPerSecond = 100

// cpu returns the CPU time, user and system, that a process has used.
func cpu(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // from field 3, state
	var ticks int
	for _, field := range f[11:13] { // 14 utime, 15 stime
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}

// forgetPeak has peakMemory tell of what comes from now on.
func forgetPeak(pid int) error {
	const peak = "5" // https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte(peak), 0)
}

// peakMemory returns the largest resident set a process has had, in bytes.
func peakMemory(pid int) (int64, error) {
	return memory(pid, "VmHWM")
}

// anonymousMemory returns what a process has of memory that is no file's, in bytes.
func anonymousMemory(pid int) (int64, error) { return memory(pid, "RssAnon") }

// watchAnonymous looks at the anonymous memory of a process from now on, and returns what ends
// that and gives the largest that it saw, in bytes: the kernel keeps no peak of it.
func watchAnonymous(pid int) (end func() (int64, error)) {
	const every = 20 * time.Millisecond
	ending := make(chan struct{})
	var peak int64
	var err error
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			now, failed := anonymousMemory(pid)
			if failed != nil {
				err = failed
				return
			}
			peak = max(peak, now)
			select {
			case <-tick.C:
			case <-ending:
				return
			}
		}
	})
	return func() (int64, error) {
		close(ending)
		watching.Wait()
		return peak, err
	}
}

// memory returns a figure of a process in bytes, by the name that
// https://man7.org/linux/man-pages/man5/proc_pid_status.5.html gives it.
func memory(pid int, name string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s for process %d", name, pid)
}

// diskUse returns the blocks that the files below dir occupy, in bytes.
func diskUse(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			total += s.Blocks * 512
		}
		return nil
	})
	return total, err
}
