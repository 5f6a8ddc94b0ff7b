// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// What was measured holds for fewestAge, and for as long as measuring takes at most
// a fiftieth of the time.
const (
	fewestAge = 2 * time.Second
	ageShare  = 50
)

// firstWait is how long who is about to send waits for the first measurement.
const firstWait = time.Second

// measured is what is known of one environment.
type measured struct {
	mu      sync.Mutex
	figures [measures]figure
}

// figure is one value and how old it is.
type figure struct {
	value    float64
	day      time.Time // of money, when its day began
	at       time.Time // when it was measured; zero before
	took     time.Duration
	underWay chan struct{} // closed when it is measured again; nil while that is not under way
	err      error         // of the last measurement
}

// unknown reports whether a figure was never measured, or of money not on this day.
func (f *figure) unknown(q Quota, now time.Time) bool {
	return f.at.IsZero() || q == DollarsPerDay && !f.day.Equal(store.Midnight(now))
}

// stale reports whether a figure is to be measured again.
func (f *figure) stale(q Quota, now time.Time) bool {
	return f.unknown(q, now) || now.Sub(f.at) >= max(fewestAge, ageShare*f.took)
}

func (m *Meter) of(env tenant.EnvironmentID) *measured {
	if x, found := m.known.Get(env); found {
		return x
	}
	x := &measured{}
	if old, found, _ := m.known.PeekOrAdd(env, x); found {
		return old
	}
	return x
}

// figure returns what was measured last.
func (x *measured) figure(q Quota) figure {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.figures[q]
}

// look returns what was measured last, and where that is long ago has it measured
// again: done is closed then, and nil where there is no need.
func (m *Meter) look(x *measured, env tenant.Environment, q Quota) (f figure, done <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if f = x.figures[q]; f.stale(q, m.now()) {
		done = m.begin(x, env, q)
	}
	return f, done
}

// recent returns what was measured last, and has it measured again in the background
// when that is long ago: who sends waits for the first measurement alone, and not for
// long. It is not known where measuring failed.
func (m *Meter) recent(ctx context.Context, env tenant.Environment, q Quota) (v float64, known bool) {
	x := m.of(env.ID)
	f, done := m.look(x, env, q)
	if done != nil && f.unknown(q, m.now()) {
		waiting := time.NewTimer(firstWait)
		defer waiting.Stop()
		select {
		case <-done:
		case <-waiting.C:
		case <-ctx.Done():
		}
		f = x.figure(q)
	}
	return m.with(env.ID, q, f.value), !f.at.IsZero()
}

// read returns what is measured, and waits for it where that is long ago.
func (m *Meter) read(ctx context.Context, env tenant.Environment, q Quota) (float64, error) {
	x := m.of(env.ID)
	f, done := m.look(x, env, q)
	if done == nil {
		return m.with(env.ID, q, f.value), nil
	}
	select {
	case <-done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	f = x.figure(q)
	return m.with(env.ID, q, f.value), f.err
}

// with returns a value with what is not stored.
func (m *Meter) with(env tenant.EnvironmentID, q Quota, value float64) float64 {
	if q == DollarsPerDay {
		value += m.executed.of(env, store.Midnight(m.now()))
	}
	return value
}

// begin measures a figure in the background, unless that is under way. It is called with
// the lock of x held.
func (m *Meter) begin(x *measured, env tenant.Environment, q Quota) (done <-chan struct{}) {
	f := &x.figures[q]
	if f.underWay != nil {
		return f.underWay
	}
	ended := make(chan struct{})
	m.ending.Lock()
	defer m.ending.Unlock()
	if m.closed {
		close(ended)
		return ended
	}
	f.underWay = ended
	m.running.Go(func() {
		begun := m.now()
		v, err := m.measure(m.ctx, env, q, begun)
		x.mu.Lock()
		defer x.mu.Unlock()
		f.underWay, f.err = nil, err
		if err == nil {
			f.value, f.at, f.took, f.day = v, begun, m.now().Sub(begun), store.Midnight(begun)
		}
		close(ended)
	})
	return ended
}

func (m *Meter) measure(ctx context.Context, env tenant.Environment, q Quota, now time.Time) (float64, error) {
	switch q {
	case OwedEvaluations:
		n, err := store.CountOwed(ctx, m.engine, env)
		return float64(n), err
	case DollarsPerDay:
		return store.ReadSpent(ctx, m.engine, env.ID, "", store.Midnight(now))
	}
	if m.sizes == nil {
		return 0, nil
	}
	return float64(m.sizes.Extent(env.ID, math.MinInt64, math.MaxInt64).Bytes), nil
}
