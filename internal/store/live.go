// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Live is a control store behind an in-memory view. Reads of the hot path
// (Key, Environment, Setups) touch memory only and take no lock; writes go to
// the control store first and are in memory before they return.
//
// Other processes may write to the same control store. Memory learns of it in
// Refresh; and at once of the setups of an environment, when a write to one of
// them shows that memory was behind.
type Live struct {
	control Control
	doubts  *doubts
	ledger  ledger

	publishing sync.Mutex // guards the swaps of keys and setups
	keys       atomic.Pointer[credentials]
	setups     atomic.Pointer[Snapshot]
}

// writeTimeout bounds a write once it has begun, whatever becomes of the
// caller: half a write would part memory and database.
const writeTimeout = 30 * time.Second

// NewLive loads everything that c holds. c stays the caller's to close.
func NewLive(ctx context.Context, c Control) (*Live, error) {
	l := &Live{control: c, doubts: newDoubts()}
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// Secret is that of Control.
func (l *Live) Secret(ctx context.Context, name string) ([]byte, error) {
	return l.control.Secret(ctx, name)
}

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
	l.ledger.begin()
	err := do(ctx)
	l.ledger.end(err == nil)
	if err != nil && uncertain(err) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
		defer cancel()
		l.doubts.raise(ctx, about, cure)
	}
	return err
}
