// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// listener hears from the control store that something changed, and that another process
// stored something that is pending.
type listener struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	// wake has a value when something changed since one was taken out.
	wake chan struct{}
}

// listen hears of changes if the control store tells of any, and of pending evaluations if the
// backlog is shared.
func listen(control store.Control, backlog store.Backlog) *listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{cancel: cancel, wake: make(chan struct{}, 1)}
	if telling, ok := control.(store.Telling); ok {
		l.wg.Go(func() { telling.Listen(ctx, l.heard) })
	}
	if shared, ok := backlog.(interface{ Listen(ctx context.Context) }); ok {
		l.wg.Go(func() { shared.Listen(ctx) })
	}
	return l
}

func (l *listener) heard() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// stop ends the listening, and waits for that.
func (l *listener) stop() {
	l.cancel()
	l.wg.Wait()
}
