// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// backfiller works on backfills, one at a time. Several processes may do so on
// one store: a job belongs to who wrote it last, and each page is written.
type backfiller struct {
	*backlogReceiver
	work    context.Context //nolint:containedctx // of what is in the pipeline, which outlives the looking
	caution *caution

	// seen are the jobs of others as they were when they were last seen to
	// change: one that stands still for long has been abandoned. nil before the
	// first look, in which every job is taken over: this process may be the one
	// that had it before it ended, and if not, who has it gives way.
	seen map[string]sighting
}

type sighting struct {
	revision int64
	since    time.Time
}

func newBackfiller(work context.Context, r *backlogReceiver) *backfiller {
	return &backfiller{backlogReceiver: r, work: work, caution: newCaution(r.cfg.Backfill.Page, r.firstPause)}
}

// run works on backfills until ctx ends.
func (b *backfiller) run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		job, err := b.take(ctx)
		switch {
		case err != nil:
			if !failing && ctx.Err() == nil {
				b.log.Warn("backfills cannot be looked for", zap.Error(err))
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
		if !pause(ctx, b.cfg.PollInterval) {
			return
		}
	}
}

// take gives a job that nobody works on, nil if there is none.
func (b *backfiller) take(ctx context.Context) (*monitor.Backfill, error) {
	open, err := store.Backfills(b.live).Filter(ctx, store.DocumentFilter{Open: true})
	if err != nil {
		return nil, err
	}
	now := b.now()
	seen := make(map[string]sighting, len(open))
	var free *monitor.Backfill
	for i := range open {
		job := &open[i]
		s, known := b.seen[job.ID]
		switch {
		case b.seen == nil:
			s = sighting{revision: job.Revision} // since ever
		case !known || s.revision != job.Revision:
			s = sighting{revision: job.Revision, since: now}
		}
		seen[job.ID] = s
		idle := job.Status == monitor.BackfillPending || now.Sub(s.since) >= b.abandoned()
		if idle && free == nil {
			free = job
		}
	}
	b.seen = seen
	return free, nil
}

// abandoned is how long a job may stand still: the longest page and the pause
// that follows it, and a lease more.
func (b *backfiller) abandoned() time.Duration {
	return b.cfg.Lease + time.Duration(float64(b.cfg.Lease)/b.cfg.Backfill.Share)
}

// do works on a job until it is over, somebody else has it, or ctx ends. It
// reports false when it could not begin.
func (b *backfiller) do(ctx context.Context, job monitor.Backfill) bool {
	job, err := b.claim(ctx, job)
	if err != nil {
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) && ctx.Err() == nil {
			b.log.Warn("a backfill could not be taken up", zap.String("backfill", job.ID), zap.Error(err))
		}
		return false
	}
	for more := !job.Status.Over(); more; {
		job, more = b.step(ctx, job)
	}
	return true
}

// step does one page of a job and pauses, and reports whether the job goes on
// here.
func (b *backfiller) step(ctx context.Context, job monitor.Backfill) (next monitor.Backfill, more bool) {
	size, wait := b.caution.next(b.now())
	if !pause(ctx, wait) {
		return job, false
	}
	begun := b.now()
	next, err := b.page(ctx, job, size)
	if err == nil {
		next, err = b.save(ctx, next)
	}
	switch {
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.NotFound):
		// A user has cancelled it, another process has taken it over, or it went
		// with its setup.
		return job, false
	case err != nil:
		if ctx.Err() != nil {
			return job, false
		}
		if b.caution.failed(begun, b.now()) {
			b.log.Warn("a backfill has to wait", zap.String("backfill", job.ID), zap.Error(err))
		}
		return job, true
	case next.Status.Over():
		b.log.Info("a backfill is over", zap.String("backfill", next.ID), zap.String("status", string(next.Status)), zap.Int64("seen", next.Seen))
		return next, false
	}
	b.caution.done(begun)
	return next, pause(ctx, b.rest(b.now().Sub(begun)))
}

// rest is how long to pause after work that took so long.
func (b *backfiller) rest(took time.Duration) time.Duration {
	return time.Duration(float64(took) * (1 - b.cfg.Backfill.Share) / b.cfg.Backfill.Share)
}

// save writes a job, also when ctx has ended meanwhile: what was done is done.
func (b *backfiller) save(ctx context.Context, job monitor.Backfill) (monitor.Backfill, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	job.UpdatedAt = b.now().UTC()
	return store.Backfills(b.live).Replace(ctx, job)
}

const saveTimeout = 10 * time.Second
