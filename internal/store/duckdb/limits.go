// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// connections are those of the pool: of readers, of one who leases, of what a
// writer must know, of checkpoints of closed partitions, and of who drops.
const connections = turns.MostReaders + 5

// Bounds of how many files of partitions that take in no more spans are attached
// at once. The fewest are as many as callers can use at the same time: those who
// read, one for whom no environment is asked, and those who write and check
// point.
const (
	defaultFiles = 16
	fewestFiles  = connections
	// fileIdle is for how long a file stays attached that nobody uses.
	fileIdle = time.Minute
)
