// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// listener hears from the control store that something changed.
type listener struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	// wake has a value when something changed since one was taken out.
	wake chan struct{}
}

// listen hears of changes if the control store tells of any.
func listen(control store.Control) *listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{cancel: cancel, wake: make(chan struct{}, 1)}
	if telling, ok := control.(store.Telling); ok {
		l.wg.Go(func() { telling.Listen(ctx, l.heard) })
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
