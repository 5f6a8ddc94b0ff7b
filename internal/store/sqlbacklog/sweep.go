// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"database/sql"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// sweepLock is the number of the lock of the process that sweeps.
	sweepLock = 0x737765657073 // "sweeps"
	// sweptAtOnce is how many entries are read from the engine at once.
	sweptAtOnce = 1000
)

// Sweep puts into the queue what is deferred in the engine, due within a time, and not
// there: what a process wrote that ended before it reached the queue. One process
// does so at a time, and any other returns at once. It returns how many spans it
// looked at.
func (b *Backlog) Sweep(ctx context.Context, from, before int64) (looked int, err error) {
	if err := b.begin(ctx); err != nil {
		return 0, err
	}
	all, err := b.engine.Owed(ctx, "", store.Due{}, 0)
	if err != nil {
		return 0, err
	}
	for _, env := range all.Environments {
		n, mine, err := b.sweep(ctx, env, from, before)
		if looked += n; err != nil || !mine {
			return looked, err
		}
	}
	return looked, nil
}

// sweep looks at one environment, unless another process sweeps.
func (b *Backlog) sweep(ctx context.Context, env tenant.EnvironmentID, from, before int64) (looked int, mine bool, err error) {
	for behind, more := (store.Due{Location: store.Location{Environment: env}, At: from}), true; more; {
		page, err := b.engine.Owed(ctx, env, behind, sweptAtOnce)
		if err != nil {
			return looked, true, err
		}
		var at []store.Location
		for _, d := range page.List {
			if d.At < before {
				at = append(at, d.Location)
			}
		}
		if mine, err = b.oweAgain(ctx, at); err != nil || !mine {
			return looked, mine, err
		}
		looked += len(at)
		more, behind = page.More && len(at) == len(page.List), page.Last
	}
	return looked, true, nil
}

// oweAgain puts pending evaluations of spans into the queue, if it is not there.
func (b *Backlog) oweAgain(ctx context.Context, at []store.Location) (mine bool, err error) {
	read, err := b.engine.Evaluations(ctx, at, -1<<63, store.Latest)
	if err != nil {
		return true, err
	}
	var rows []row
	for i := range read {
		x := &read[i]
		for j := range x.Evaluations {
			if v := &x.Evaluations[j]; v.Status == eval.Deferred {
				rows = append(rows, rowOf(x.Location(), x.Content, longest, v))
			}
		}
	}
	err = b.transact(ctx, "sweep", func(ctx context.Context, tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(sweepLock)).Scan(&mine); err != nil || !mine {
			return err
		}
		return owe(ctx, tx, rows, false)
	})
	return mine, err
}
