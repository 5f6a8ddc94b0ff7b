// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"time"
)

// While a file is attached the engine keeps, in memory that no limit makes it
// give up, which transaction each row came from: a block of 256 KiB for each row
// group of each table. It forgets that only when the file is closed, which
// takes a millisecond; without it the spans and evaluations of some minutes fill
// all memory.

const (
	rowMemory = 26 // bytes for each row appended since, measured
	// Above ReattachBytes, which every checkpoint of a full log comes to, a file is closed and
	// opened when it is not in use, above drainTimes as much its users are waited for. Its
	// blocks, too, are given up by that: it is little to read them again, and much to keep them.
	ReattachBytes = 1 << 20
	drainTimes    = 48
	DrainPatience = 10 * time.Second
)

// Reattach closes the file of a partition and opens it again if enough was
// appended to it. Its log should be empty: it would be read again.
func (f *Files) Reattach(ctx context.Context, p *Partition) error {
	held := p.appended.Load() * rowMemory
	if held < f.options.ReattachBytes {
		return nil
	}
	var patience time.Duration
	if held >= drainTimes*f.options.ReattachBytes {
		patience = DrainPatience
	}
	return f.closeAndOpen(ctx, p, patience)
}

// closeAndOpen closes the file of a partition and opens it again, if those who use
// it are done within patience.
func (f *Files) closeAndOpen(ctx context.Context, p *Partition, patience time.Duration) error {
	open, alone := p.shutOut(patience)
	if !alone {
		return nil
	}
	defer open()
	if !p.IsAttached() {
		return nil
	}
	if err := f.detach(ctx, p); err != nil {
		return err
	}
	f.setAttached(p, false)
	p.appended.Store(0)
	if err := f.with(ctx, func(q *Querier) error { return f.blame(p, q.attach(ctx, p)) }); err != nil {
		f.SetSuspect()
		return err
	}
	f.setAttached(p, true)
	return nil
}
