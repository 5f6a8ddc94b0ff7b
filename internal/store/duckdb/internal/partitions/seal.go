// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// How often, and with what pause between, a closed partition is tried to be
// checkpointed while a writer uses it.
const (
	sealTries = 20
	sealPause = 50 * time.Millisecond
)

// Seal works the log of a held partition into its file, since no more spans will
// come, and reports whether it did. Where that is not to be had within a time, or
// before ending is closed, the file stays attached like others that are in use.
func (f *Files) Seal(ctx context.Context, ending <-chan struct{}, p *Partition) bool {
	p.pin()
	_, err := f.instance.Pool.ExecContext(ctx, "CHECKPOINT "+p.Alias())
	for tries := 0; instance.Busy(err) && tries < sealTries; tries++ { // completions go on
		select {
		case <-time.After(sealPause):
		case <-ending:
			p.Unpin()
			f.attached.adopt(p)
			return false
		}
		_, err = f.instance.Pool.ExecContext(ctx, "CHECKPOINT "+p.Alias())
	}
	p.Unpin()
	if f.blame(p, err) != nil {
		f.options.Report("a closed partition could not be checkpointed; it will be when its file is closed", err)
		f.attached.adopt(p)
		return false
	}
	return true
}

// ShutSealed closes the file of a held partition that was sealed. Where it is in use
// for longer than a time, or until ending is closed, it stays attached like others.
func (f *Files) ShutSealed(ctx context.Context, ending <-chan struct{}, p *Partition) {
	open, alone := p.shutOutIdle(ending, DrainPatience)
	if !alone {
		f.attached.adopt(p)
		return
	}
	defer open()
	if !p.IsAttached() {
		return // it was closed meanwhile
	}
	if err := f.with(ctx, func(q *Querier) error { return f.shut(ctx, q, p) }); err != nil {
		f.options.Report("the file of a closed partition could not be closed", err)
		return
	}
	f.attached.drop(p) // which it is among only where it was opened again
}
