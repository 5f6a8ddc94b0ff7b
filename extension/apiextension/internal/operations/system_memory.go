// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

// systemMemory is what the process has of it, in bytes.
type systemMemory struct {
	Resident int64  `json:"resident_bytes" doc:"All of it." schema:"minimum=0"`
	Heap     int64  `json:"heap_bytes" doc:"That of Go's objects; the store has its own." schema:"minimum=0"`
	Limit    *int64 `json:"limit_bytes" doc:"What it may have at most, by GOMEMLIMIT or by its control group; null where nothing says." schema:"nullable minimum=0"`
}

// What the runtime calls them: https://pkg.go.dev/runtime/metrics
const (
	heapObjects = "/memory/classes/heap/objects:bytes"
	allMemory   = "/memory/classes/total:bytes"
)

// What Linux tells: https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html and
// https://docs.kernel.org/admin-guide/cgroup-v2.html
const (
	statm     = "/proc/self/statm"
	groupsMax = "/sys/fs/cgroup/memory.max"
)

func readMemory() systemMemory {
	samples := []metrics.Sample{{Name: heapObjects}, {Name: allMemory}}
	metrics.Read(samples)
	m := systemMemory{Heap: int64(samples[0].Value.Uint64()), Resident: int64(samples[1].Value.Uint64())}
	if text, err := os.ReadFile(statm); err == nil {
		if pages, found := resident(string(text)); found {
			m.Resident = pages * int64(os.Getpagesize())
		}
	}
	limit := debug.SetMemoryLimit(-1) // which only reads it
	if text, err := os.ReadFile(groupsMax); err == nil {
		if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // "max" is none
			limit = min(limit, most)
		}
	}
	if limit != math.MaxInt64 {
		m.Limit = &limit
	}
	return m
}

// resident returns the second number of a line.
func resident(line string) (int64, bool) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages, err == nil
}
