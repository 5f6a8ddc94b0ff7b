// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// errFull is retryable.
var errFull = errors.New("verdict_sampling: what was decided is not taken over, and there is no room for more")

// traceKey is whose trace it is, and its id.
type traceKey struct {
	environment string
	id          pcommon.TraceID
}

// trace is what is known of a trace.
type trace struct {
	key        traceKey
	owner      *environment        // of the request that it came with first
	share      *share              // the largest that a span of it had so far
	randomness sampling.Randomness // of its first span
	due        time.Time
	at         *list.Element // in table.undecided; nil once it is decided
	waiting    []*request    // that wait for its decision
}

// request are spans that were handed over together. They are handed on together, when all
// of their traces are decided.
type request struct {
	ctx       context.Context //nolint:containedctx // of the sender, which does not wait
	td        ptrace.Traces
	traces    []*trace // of each span, in their order; nil of one that passes as it is
	bytes     int
	owner     *environment
	at        *list.Element // in owner.requests while it waits
	undecided int           // traces
	ready     chan struct{} // closed when it is 0
}

// environment is what waits of the spans of one environment, and what was decided.
type environment struct {
	name       string
	requests   list.List // *request that wait, oldest first
	bytes      int       // of these
	undecided  int       // traces
	remembered list.List // *trace that are decided, oldest first
}

// table holds requests and traces. Its methods may be called from any goroutine.
type table struct {
	cfg   *Config
	meter *meter
	hold  func(*request) // takes a request that became ready, in answer held; called under the lock

	mu           sync.Mutex
	closed       bool // nothing waits any more
	environments map[string]*environment
	traces       map[traceKey]*trace
	undecided    list.List // *trace, in the order in which they are due
	remembered   int       // traces
	waiting      int       // bytes of requests that wait
	leaving      int       // bytes of requests that are being handed on
}

func newTable(cfg *Config, m *meter) *table {
	return &table{cfg: cfg, meter: m, environments: map[string]*environment{}, traces: map[traceKey]*trace{}}
}

// seen is what a span says about its trace.
type seen struct {
	key        traceKey
	share      *share // nil: it has no say, and passes
	randomness sampling.Randomness
}

// add takes a request, whose spans say what seen tells. Where there is too much, what
// waits longest of the environment that has most is decided with what is known.
func (t *table) add(r *request, spans []seen, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.cfg.MaxMiB << 20
	if t.leaving > 0 && t.leaving+t.waiting+r.bytes > 2*most {
		return errFull
	}
	r.ready = make(chan struct{})
	r.traces = make([]*trace, len(spans))
	r.owner = t.environment(firstOwner(spans))
	for i := range spans {
		if s := &spans[i]; s.share != nil {
			r.traces[i] = t.note(r, s, now)
		}
	}
	r.owner.bytes += r.bytes
	t.waiting += r.bytes
	r.at = r.owner.requests.PushBack(r)
	if r.undecided == 0 {
		t.finish(r)
	}
	for t.waiting > most {
		t.decideOldest(t.largest(func(e *environment) int { return e.bytes }), earlyMemory)
	}
	for t.undecided.Len() > t.cfg.MaxTraces {
		t.decideOldest(t.largest(func(e *environment) int { return e.undecided }), earlyTraces)
	}
	if t.closed {
		t.decideAll()
	}
	return nil
}

func firstOwner(spans []seen) string {
	if len(spans) == 0 {
		return ""
	}
	return spans[0].key.environment
}

func (t *table) environment(name string) *environment {
	e := t.environments[name]
	if e == nil {
		e = &environment{name: name}
		t.environments[name] = e
	}
	return e
}

// note takes what a span of a request says about its trace, and has the request wait for
// a trace that is not decided. A decision stands, but for a span that has a larger share:
// that one, and what comes after it, is kept with its own.
func (t *table) note(r *request, s *seen, now time.Time) *trace {
	tr := t.traces[s.key]
	if tr == nil {
		tr = &trace{key: s.key, owner: r.owner, share: s.share, randomness: s.randomness, due: now.Add(t.cfg.DecisionWait)}
		tr.at = t.undecided.PushBack(tr)
		tr.owner.undecided++
		t.traces[s.key] = tr
	}
	if s.share.widens(tr.share) {
		tr.share = s.share
	}
	if tr.at == nil {
		t.meter.late(tr.share.threshold.ShouldSample(s.randomness))
		return tr
	}
	if n := len(tr.waiting); n == 0 || tr.waiting[n-1] != r {
		tr.waiting = append(tr.waiting, r)
		r.undecided++
	}
	return tr
}

// largest returns the environment of which there is most.
func (t *table) largest(of func(*environment) int) *environment {
	var found *environment
	for _, e := range t.environments {
		if found == nil || of(e) > of(found) {
			found = e
		}
	}
	return found
}

// portion is which part of what may be there is given up at once, so that environments
// are compared seldom.
const portion = 32

// decideOldest decides the oldest requests of an environment before they are due: a
// portion of what may be there, and at least one request.
func (t *table) decideOldest(e *environment, why early) {
	bytes, traces := t.waiting-t.cfg.MaxMiB<<20/portion, t.undecided.Len()-t.cfg.MaxTraces/portion
	for {
		front := e.requests.Front()
		if front == nil {
			return
		}
		r := front.Value.(*request) //nolint:forcetypeassert // ours
		for _, tr := range r.traces {
			if tr != nil && tr.at != nil {
				t.decide(tr)
				t.meter.early(why)
			}
		}
		if why == earlyMemory && t.waiting <= bytes || why == earlyTraces && t.undecided.Len() <= traces {
			return
		}
	}
}

// decide ends the waiting for spans of a trace.
func (t *table) decide(tr *trace) {
	t.undecided.Remove(tr.at)
	tr.at = nil
	tr.owner.undecided--
	t.meter.trace(tr.share, tr.share.threshold.ShouldSample(tr.randomness))
	waiting := tr.waiting
	tr.waiting = nil
	tr.owner.remembered.PushBack(tr)
	t.remembered++
	for _, r := range waiting {
		if r.undecided--; r.undecided == 0 {
			t.finish(r)
		}
	}
	if t.remembered > t.cfg.RememberedTraces {
		t.forget()
	}
}

// forget forgets the oldest decisions of the environment that has most.
func (t *table) forget() {
	e := t.largest(func(e *environment) int { return e.remembered.Len() })
	for range min(e.remembered.Len(), max(1, t.cfg.RememberedTraces/portion)) {
		delete(t.traces, e.remembered.Remove(e.remembered.Front()).(*trace).key) //nolint:forcetypeassert // ours
		t.remembered--
	}
	t.drop(e)
}

// drop forgets an environment of which there is nothing.
func (t *table) drop(e *environment) {
	if e.requests.Len() == 0 && e.remembered.Len() == 0 && e.undecided == 0 {
		delete(t.environments, e.name)
	}
}

// finish has a request handed on of which all traces are decided.
func (t *table) finish(r *request) {
	r.owner.requests.Remove(r.at)
	r.owner.bytes -= r.bytes
	t.waiting -= r.bytes
	t.leaving += r.bytes
	t.drop(r.owner)
	close(r.ready)
	if t.hold != nil {
		t.hold(r)
	}
}

// decideDue decides what is due.
func (t *table) decideDue(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for front := t.undecided.Front(); front != nil; front = t.undecided.Front() {
		tr := front.Value.(*trace) //nolint:forcetypeassert // ours
		if tr.due.After(now) {
			return
		}
		t.decide(tr)
	}
}

// close decides everything, also what is still to come.
func (t *table) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.decideAll()
}

func (t *table) decideAll() {
	for front := t.undecided.Front(); front != nil; front = t.undecided.Front() {
		t.decide(front.Value.(*trace)) //nolint:forcetypeassert // ours
		t.meter.early(earlyShutdown)
	}
}

// decided returns the shares with which the spans of a request are kept, nil of those
// that pass.
func (t *table) decided(r *request) []*share {
	t.mu.Lock()
	defer t.mu.Unlock()
	shares := make([]*share, len(r.traces))
	for i, tr := range r.traces {
		if tr != nil {
			shares[i] = tr.share
		}
	}
	return shares
}

// release takes a request out that was handed on.
func (t *table) release(r *request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leaving -= r.bytes
}

// abandon gives a request up whose sender no longer waits for it: it was not answered, and
// what it said about its traces stands.
func (t *table) abandon(r *request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-r.ready:
		t.leaving -= r.bytes
	default:
		r.owner.bytes -= r.bytes
		t.waiting -= r.bytes
	}
	r.bytes, r.td = 0, ptrace.Traces{}
}

// held returns how many bytes of requests and how many undecided traces there are.
func (t *table) held() (bytes, traces int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting + t.leaving, t.undecided.Len()
}
