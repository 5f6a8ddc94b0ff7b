// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

const (
	// sweepInterval is the time between two looks for what is owed and in no queue,
	// and between two tries to be the process that looks.
	sweepInterval = 5 * time.Minute
	// sweptAfter is how long something has been due that is looked for: what is due
	// since shorter may be on its way into the queue.
	sweptAfter = 10 * time.Minute
	// sweeping is the number of the work that the sweeping process leads.
	sweeping = 0x7377656570 // "sweep"
)

// swept is a backlog whose queue may lack what a process wrote that ended.
type swept interface {
	Sweep(ctx context.Context, before int64) (looked int, err error)
}

// sweeper puts into the queue what is not there, if it is the process that leads.
type sweeper struct {
	queue   swept
	control *sqldb.DB
	log     *zap.Logger
	counts  *counts
	lead    *sqldb.Lead // nil while another process leads
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

// round is one look.
func (s *sweeper) round(ctx context.Context) { s.sweep(ctx, time.Now().Add(-sweptAfter)) }

// sweep looks for what was due before a time.
func (s *sweeper) sweep(ctx context.Context, before time.Time) {
	if s.lead != nil && !s.lead.Held(ctx) {
		s.end()
	}
	var err error
	if s.lead == nil {
		s.lead, err = s.control.Lead(ctx, sweeping)
	}
	if err == nil && s.lead != nil {
		_, err = s.queue.Sweep(ctx, before.UnixNano())
	}
	if err != nil && ctx.Err() == nil {
		s.counts.sweepFailures.Add(ctx, 1)
		s.log.Error("what is owed and in no queue was not looked for; the next round tries again", zap.Error(err))
	}
}

// end leaves the looking to another process.
func (s *sweeper) end() {
	if s != nil && s.lead != nil {
		s.lead.End()
		s.lead = nil
	}
}
