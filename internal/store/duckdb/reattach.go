// SPDX-License-Identifier: Apache-2.0

package duckdb

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
	// Above reattachBytes a file is closed and opened when nobody uses it, above
	// four times as much its users are waited for.
	reattachBytes = 12 << 20
	drainPatience = 10 * time.Second
)

// reattach closes the file of a partition and opens it again if enough was
// appended to it. Its log should be empty: it would be read again.
func (e *engine) reattach(ctx context.Context, p *partition) error {
	held := p.appended.Load() * rowMemory
	if held < e.cfg.reattachBytes {
		return nil
	}
	var patience time.Duration
	if held >= 4*e.cfg.reattachBytes {
		patience = drainPatience
	}
	return e.closeAndOpen(ctx, p, patience)
}

func (e *engine) closeAndOpen(ctx context.Context, p *partition, patience time.Duration) error {
	open, alone := p.shutOut(patience)
	if !alone {
		return nil
	}
	defer open()
	if !p.isAttached() {
		return nil
	}
	if err := e.detach(ctx, p); err != nil {
		return err
	}
	p.setAttached(false)
	p.appended.Store(0)
	if err := e.with(ctx, func(q querier) error { return q.attach(ctx, p) }); err != nil {
		e.suspect.Store(true)
		return err
	}
	p.setAttached(true)
	return nil
}
