// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const (
	// backfillLease is how long a job stays with a process that is not heard of
	// any more; the lease is renewed three times as often.
	backfillLease   = 10 * time.Second
	backfillRenewal = backfillLease / 3
	saveTimeout     = 10 * time.Second
)

// held is a job that this process has the lease of, and renews.
type held struct {
	backfiller *backfiller
	renewing   sync.WaitGroup
	stop       context.CancelFunc

	job monitor.Backfill // but for its revision and lease, the worker's alone

	mu      sync.Mutex // guards written
	written monitor.Backfill
}

// hold keeps the lease of a job that was just claimed until it is released.
func (b *backfiller) hold(job monitor.Backfill) *held {
	h := &held{backfiller: b, job: job, written: job}
	ctx, stop := context.WithCancel(b.work)
	h.stop = stop
	h.renewing.Go(func() {
		tick := time.NewTicker(b.receiver.backfillRenewal)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// What comes of it the next save finds out.
				_ = h.write(ctx, nil)
			}
		}
	})
	return h
}

// save writes how far the job got.
func (h *held) save(ctx context.Context, next monitor.Backfill) error {
	err := h.write(ctx, &next)
	if err == nil {
		h.job = next
	}
	return err
}

// write writes a job with a new lease; without one, as it was written last.
func (h *held) write(ctx context.Context, next *monitor.Backfill) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	job := h.written
	if next != nil {
		job = *next
		job.Revision = h.written.Revision
	}
	written, err := h.backfiller.save(ctx, job, h.backfiller.receiver.backfillLease)
	if err == nil {
		h.written = written
	}
	return err
}

// release ends the renewing, and the lease of a job that is not over: another
// process, or this one restarted, may have it at once.
func (h *held) release(ctx context.Context) {
	h.stop()
	h.renewing.Wait()
	if !h.written.Status.Over() {
		_, _ = h.backfiller.save(ctx, h.written, 0) // or it runs out
	}
}

// save writes a job and leases it for so long, also when ctx has ended
// meanwhile: what was done is done. One that is over belongs to no process.
func (b *backfiller) save(ctx context.Context, job monitor.Backfill, lease time.Duration) (monitor.Backfill, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	job.UpdatedAt = b.receiver.now().UTC()
	job.Owner, job.LeasedUntil = b.owner, job.UpdatedAt.Add(lease)
	if job.Status.Over() || lease == 0 {
		job.Owner, job.LeasedUntil = "", time.Time{}
	}
	return store.Backfills(b.receiver.live).Replace(ctx, job)
}
