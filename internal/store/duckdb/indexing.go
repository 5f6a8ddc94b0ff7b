// SPDX-License-Identifier: Apache-2.0

package duckdb

import "context"

// indexMemory is what making an index takes in memory besides what is sorted: rows that are
// not yet in the file, and the spans that verdicts are joined with. Measured: 27 to 38 MiB.
const indexMemory = 40 << 20

// indexBytes returns how much may be sorted at once for an index: a twelfth of the memory.
func (c Config) indexBytes() int64 {
	if c.indexRoom > 0 {
		return c.indexRoom
	}
	return c.MemoryLimit / 12
}

// enterIndexing takes places of those who read for the memory that making an index
// takes, for a few seconds each time that a partition is closed. Where they are not free
// soon it is made all the same, since more and more queries would want it.
func (c Config) enterIndexing(ending <-chan struct{}) (leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return c.readers.EnterFor(ctx, c.indexBytes()+indexMemory, c.readers.Patience.Writer)
}
