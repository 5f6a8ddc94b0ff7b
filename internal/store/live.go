// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Live is a control store behind an in-memory view. Reads of the hot path
// (Key, Environment, Setups) touch memory only and take no lock; writes go to
// the control store first and are in memory before they return.
//
// Live takes itself for the only writer of its control store: what memory
// does not know does not exist.
type Live struct {
	control Control
	doubts  *doubts

	publishing sync.Mutex // guards the swaps of keys and setups
	keys       atomic.Pointer[credentials]
	setups     atomic.Pointer[Snapshot]
}

// writeTimeout bounds a write once it has begun, whatever becomes of the
// caller: half a write would part memory and database.
const writeTimeout = 30 * time.Second

// NewLive loads everything that c holds. c stays the caller's to close.
func NewLive(ctx context.Context, c Control) (*Live, error) {
	keys, err := c.Keys(ctx)
	if err != nil {
		return nil, err
	}
	all, err := c.AllSetups(ctx)
	if err != nil {
		return nil, err
	}
	perEnvironment := make(map[tenant.EnvironmentID][]monitor.Setup)
	for _, s := range all {
		perEnvironment[s.EnvironmentID] = append(perEnvironment[s.EnvironmentID], s)
	}
	l := &Live{control: c, doubts: newDoubts()}
	l.keys.Store(noCredentials().with(keys))
	l.setups.Store(&Snapshot{newTable[tenant.EnvironmentID, []monitor.Setup]().with(maps.All(perEnvironment))})
	return l, nil
}

// Secret is that of Control.
func (l *Live) Secret(ctx context.Context, name string) ([]byte, error) {
	return l.control.Secret(ctx, name)
}

// Heal asks the control store again wherever an earlier write ended without a
// clear answer and asking at once did not help. While the control store is
// well there is nothing to do.
func (l *Live) Heal(ctx context.Context) error { return l.doubts.settleAll(ctx) }

// write does one write about a subject in its turn. The write is not begun for
// a caller who has left, and not given up for one who leaves. When its outcome
// is in doubt, cure makes memory follow the control store.
func (l *Live) write(ctx context.Context, about subject, do, cure func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cancelled")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	defer l.doubts.turn(about)()
	if err := l.doubts.settle(ctx, about); err != nil {
		return err
	}
	err := do(ctx)
	if err != nil && uncertain(err) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
		defer cancel()
		l.doubts.raise(ctx, about, cure)
	}
	return err
}
