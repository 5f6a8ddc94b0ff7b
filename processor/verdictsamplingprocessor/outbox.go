// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
)

// How long it takes until a request is handed on again that was not taken.
const (
	firstPause = 100 * time.Millisecond
	mostPause  = 5 * time.Second
)

// outbox hands on, one after the other, requests whose senders were answered before. What
// is not taken is handed on again, until it is taken or refused for good.
type outbox struct {
	handOn  func(context.Context, *request) error
	choose  func(*request)
	release func(*request)
	meter   *meter
	logger  *zap.Logger

	mu      sync.Mutex
	waiting []*request

	more    chan struct{} // has one element when there is more in waiting
	stop    chan struct{}
	running sync.WaitGroup
}

func newOutbox(s *sampler, logger *zap.Logger) *outbox {
	return &outbox{
		handOn: s.handOn, choose: s.choose, release: s.table.release, meter: s.meter, logger: logger,
		more: make(chan struct{}, 1), stop: make(chan struct{}),
	}
}

func (o *outbox) start() {
	o.running.Go(func() {
		for r := o.next(); r != nil; r = o.next() {
			o.choose(r)
			o.deliver(r)
			o.release(r)
		}
	})
}

// put takes a request whose traces are decided.
func (o *outbox) put(r *request) {
	o.mu.Lock()
	o.waiting = append(o.waiting, r)
	o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// next waits for a request; it returns nil when none will come.
func (o *outbox) next() *request {
	for {
		ending := o.ended() // before looking: nothing is put afterwards
		o.mu.Lock()
		if len(o.waiting) > 0 {
			r := o.waiting[0]
			o.waiting[0] = nil
			o.waiting = o.waiting[1:]
			o.mu.Unlock()
			return r
		}
		o.mu.Unlock()
		if ending {
			return nil
		}
		select {
		case <-o.more:
		case <-o.stop:
		}
	}
}

// deliver hands a request on until it is taken. What follows may change what it was given,
// so it is given a copy. When the process ends it is handed on once more.
func (o *outbox) deliver(r *request) {
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		last := o.ended()
		given := *r
		given.td = ptrace.NewTraces()
		r.td.CopyTo(given.td)
		err := o.handOn(r.ctx, &given)
		switch {
		case err == nil:
			return
		case last, consumererror.IsPermanent(err):
			o.meter.lose(r.td.SpanCount())
			o.logger.Error("spans that were kept are lost: they were not taken over", zap.Int("spans", r.td.SpanCount()), zap.Error(err))
			return
		}
		select {
		case <-o.stop:
		case <-time.After(pause):
		}
	}
}

// ended reports whether the process ends.
func (o *outbox) ended() bool {
	select {
	case <-o.stop:
		return true
	default:
		return false
	}
}

// end hands on what is there, and returns when that is done.
func (o *outbox) end() {
	close(o.stop)
	o.running.Wait()
}
