// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// startLimited is startBinary in a control group of so many MiB, in which the kernel ends
// a process that takes more. Where the machine allows no control groups, it has no limit.
func startLimited(t *testing.T, mib int, settings ...string) *collector {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	h := newCollector(t, t.TempDir())
	if group := controlGroup(t, mib); group != "" {
		limited := filepath.Join(t.TempDir(), "limited")
		require.NoError(t, os.WriteFile(limited, fmt.Appendf(nil, "#!/bin/sh\necho $$ > %s/cgroup.procs\nexec %s \"$@\"\n", group, file), 0o700))
		file = limited
	}
	var args []string
	for _, s := range settings {
		args = append(args, "--config", "yaml:"+s)
	}
	require.NoError(t, h.Start(file, "../config.yaml", args...))
	t.Cleanup(h.Kill)
	require.NoError(t, h.AwaitReady(t.Context()))
	return h
}

// controlGroup makes a control group of so many MiB and returns its directory, "" where the
// machine allows none.
func controlGroup(t *testing.T, mib int) string {
	t.Helper()
	for root, limit := range map[string]string{"/sys/fs/cgroup/memory": "memory.limit_in_bytes", "/sys/fs/cgroup": "memory.max"} {
		group, err := os.MkdirTemp(root, "touchstone-test-") //nolint:usetesting // a control group is a directory of its own file system
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) })
		if os.WriteFile(filepath.Join(group, limit), []byte(strconv.Itoa(mib<<20)), 0) == nil {
			return group
		}
	}
	t.Log("no control group can be made: the kernel holds the process to no limit")
	return ""
}

// forgetPeak has peakMiB begin again.
func (h *collector) forgetPeak(t *testing.T) {
	t.Helper()
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", h.Pid()), []byte("5"), 0))
}
