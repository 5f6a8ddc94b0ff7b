// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"math"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

const (
	// sweepInterval is the time between two looks for pending evaluations that are not queued,
	// and between two tries to be the process that looks.
	sweepInterval = 5 * time.Minute
	// sweptAfter is how long something has been due that is looked for: what is due
	// since shorter may be on its way into the queue.
	sweptAfter = 10 * time.Minute
	// sweptBack is how far a round looks back that does not look at all there is, which
	// one in a while does: what is in the queue already is read from the engine for nothing.
	sweptBack = time.Hour
	// sweeping is the number of the work that the sweeping process leads.
	sweeping = 0x7377656570 // "sweep"
)

// swept is a backlog whose queue may lack what a process wrote that ended.
type swept interface {
	Sweep(ctx context.Context, from, before int64) (looked int, err error)
}

// sweeper puts into the queue what is not there, if it is the process that leads.
type sweeper struct {
	queue   swept
	control *sqldb.DB
	log     *zap.Logger
	counts  *counts
	lead    *sqldb.Lead // nil while another process leads
	full    time.Time   // when all that was due was looked at
}

// newSweeper returns nil where nothing has to be swept.
func newSweeper(e *storeExtension) *sweeper {
	queue, ok := e.backlog.(swept)
	control, shared := e.control.(*sqldb.DB)
	if !ok || !shared {
		return nil
	}
	return &sweeper{queue: queue, control: control, log: e.log, counts: e.counts}
}

// round is one look: at all that was due at first and once an hour, and otherwise at what
// was due lately.
func (s *sweeper) round(ctx context.Context) {
	now := time.Now()
	from := int64(math.MinInt64)
	if now.Sub(s.full) < sweptBack {
		from = now.Add(-sweptAfter - sweptBack).UnixNano()
	}
	if s.sweep(ctx, from, now.Add(-sweptAfter)) && from == math.MinInt64 {
		s.full = now
	}
}

// sweep looks for what was due within a time, and reports whether it did.
func (s *sweeper) sweep(ctx context.Context, from int64, before time.Time) bool {
	if s.lead != nil && !s.lead.Held(ctx) {
		s.end()
	}
	var err error
	if s.lead == nil {
		s.lead, err = s.control.Lead(ctx, sweeping)
	}
	if err == nil && s.lead != nil {
		if _, err = s.queue.Sweep(ctx, from, before.UnixNano()); err == nil {
			return true
		}
	}
	if err != nil && ctx.Err() == nil {
		s.counts.sweepFailures.Add(ctx, 1)
		s.log.Error("sweep for unqueued evaluations failed, will retry", zap.Error(err))
	}
	return false
}

// end leaves the looking to another process.
func (s *sweeper) end() {
	if s != nil && s.lead != nil {
		s.lead.End()
		s.lead = nil
	}
}
