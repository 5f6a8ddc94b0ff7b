// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

const (
	// tellInterval is the time between two notifications of one process: each has all
	// others look, and a commit with a notification waits for the one before.
	tellInterval = 100 * time.Millisecond
	// tellTimeout is how long a notification may take. One that is lost costs others the
	// time to their next look.
	tellTimeout = 5 * time.Second
)

// others are the other processes, which hear when something is pending and due.
type others struct {
	mu    sync.Mutex
	timer *time.Timer // nil while there is nothing to announce
	told  time.Time
	ended bool
	wg    sync.WaitGroup
}

// tell tells them soon. It does not wait.
func (o *others) tell(db *sqldb.DB) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil || o.ended {
		return
	}
	o.wg.Add(1)
	o.timer = time.AfterFunc(time.Until(o.told.Add(tellInterval)), func() {
		defer o.wg.Done()
		o.mu.Lock()
		o.timer, o.told = nil, time.Now() // another timer announces what is stored from now on
		o.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
		defer cancel()
		_ = db.TellOwed(ctx) // who hears nothing looks by itself
	})
}

// end drops what is not announced yet, and waits for the rest.
func (o *others) end() {
	o.mu.Lock()
	o.ended = true
	if o.timer != nil && o.timer.Stop() {
		o.timer = nil
		o.wg.Done()
	}
	o.mu.Unlock()
	o.wg.Wait()
}

// Listen has Added say what other processes store that is pending and due, too, until ctx ends.
func (b *Backlog) Listen(ctx context.Context) { b.db.ListenOwed(ctx, b.added.Wake) }
