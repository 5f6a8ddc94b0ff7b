// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// backfillTurn is how long a job is worked on while another environment waits for
// one of its own.
const backfillTurn = 10 * time.Second

// backfiller works on backfills, one at a time, environments taking turns. Several
// processes may do so on one store: a job belongs to who leased it in its row.
type backfiller struct {
	receiver *backlogReceiver
	work     context.Context //nolint:containedctx // of what is in the pipeline, which outlives the looking
	backoff  *backoff
	owner    string // this process, as jobs name it

	turns  int64                          // that were taken
	served map[tenant.EnvironmentID]int64 // the last of each environment that has jobs
}

func newBackfiller(work context.Context, r *backlogReceiver) *backfiller {
	return &backfiller{
		receiver: r, work: work, backoff: newBackoff(r.cfg.Backfill.Page, r.firstPause), owner: r.owner,
		served: map[tenant.EnvironmentID]int64{},
	}
}

// run works on backfills until ctx ends.
func (b *backfiller) run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		job, err := b.take(ctx)
		switch {
		case err != nil:
			if !failing && ctx.Err() == nil {
				b.receiver.log.Warn("backfills cannot be looked for", zap.Error(err))
			}
			failing = true
		case job != nil:
			failing = false
			if b.do(ctx, *job) {
				continue // there may be another one
			}
		default:
			failing = false
		}
		if pace.Sleep(ctx, b.receiver.cfg.PollInterval) != nil {
			return
		}
	}
}

// take returns a job without a worker, nil if there is none: the oldest of the
// environment whose last turn is longest ago.
func (b *backfiller) take(ctx context.Context) (*monitor.Backfill, error) {
	open, err := b.free(ctx)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	served := map[tenant.EnvironmentID]int64{}
	next := 0
	for i := range open {
		served[open[i].EnvironmentID] = b.served[open[i].EnvironmentID]
		if served[open[i].EnvironmentID] < served[open[next].EnvironmentID] {
			next = i
		}
	}
	b.turns++
	served[open[next].EnvironmentID] = b.turns
	b.served = served
	return &open[next], nil
}

// free returns the jobs without a worker, oldest first.
func (b *backfiller) free(ctx context.Context) ([]monitor.Backfill, error) {
	open, err := store.Backfills(b.receiver.live).Filter(ctx, store.DocumentFilter{Open: true})
	if err != nil {
		return nil, err
	}
	// One's own is one whose last write was answered with an error and done.
	return slices.DeleteFunc(open, func(job monitor.Backfill) bool {
		return job.Owner != b.owner && b.receiver.now().Before(job.LeasedUntil)
	}), nil
}

// othersWait reports whether another environment has a job without a worker.
func (b *backfiller) othersWait(ctx context.Context, env tenant.EnvironmentID) bool {
	open, err := b.free(ctx)
	return err == nil && slices.ContainsFunc(open, func(job monitor.Backfill) bool { return job.EnvironmentID != env })
}

// do works on a job until it is over, its turn is and others wait, another process
// has it, or ctx ends. It reports false when it could not begin.
func (b *backfiller) do(ctx context.Context, job monitor.Backfill) bool {
	job, err := b.claim(ctx, job)
	if err != nil {
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) && ctx.Err() == nil {
			b.receiver.log.Warn("a backfill could not be taken up", zap.String("backfill", job.ID), zap.Error(err))
		}
		return false
	}
	if job.Status.Over() {
		return true
	}
	mine := b.hold(job)
	turn := b.receiver.now().Add(b.receiver.backfillTurn)
	for more := true; more; {
		more = b.step(ctx, mine)
		if now := b.receiver.now(); more && !now.Before(turn) {
			more, turn = !b.othersWait(ctx, job.EnvironmentID), now.Add(b.receiver.backfillTurn)
		}
	}
	mine.release(ctx)
	return true
}

// step does one page of a job and pauses, and reports whether the job goes on
// here.
func (b *backfiller) step(ctx context.Context, mine *held) (more bool) {
	size, wait := b.backoff.next(b.receiver.now())
	if pace.Sleep(ctx, wait) != nil {
		return false
	}
	begun := b.receiver.now()
	next, err := b.page(ctx, mine.job, size)
	if err == nil {
		err = mine.save(ctx, next)
	}
	switch {
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.NotFound):
		// A user has cancelled it, another process has taken it over, or it went
		// with its setup.
		return false
	case err != nil:
		if ctx.Err() != nil {
			return false
		}
		if b.backoff.failed(begun, b.receiver.now()) {
			b.receiver.log.Warn("a backfill has to wait", zap.String("backfill", next.ID), zap.Error(err))
		}
		return true
	case next.Status.Over():
		b.receiver.log.Info("a backfill is over", zap.String("backfill", next.ID), zap.String("status", string(next.Status)), zap.Int64("seen", next.Seen))
		return false
	}
	b.backoff.done(begun)
	return pace.Sleep(ctx, b.rest(b.receiver.now().Sub(begun))) == nil
}

// rest is how long to pause after work that took so long.
func (b *backfiller) rest(took time.Duration) time.Duration {
	return time.Duration(float64(took) * (1 - b.receiver.cfg.Backfill.Share) / b.receiver.cfg.Backfill.Share)
}
