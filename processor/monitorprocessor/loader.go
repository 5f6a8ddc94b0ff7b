// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/freemem"
)

// grace is how long after its beginning a load is waited for by batches. Nearly
// all evaluators have nothing to load and are ready at once; the others take up
// to seconds, which no span waits.
const grace = 250 * time.Millisecond

// loader has evaluators load what they need, each once, by letting them judge
// their own examples.
type loader struct {
	// loaded is called after each of them.
	loaded func()
	memory *freemem.Giver // loading takes more than what is loaded

	ctx    context.Context //nolint:containedctx // it ends the loads, which outlive their callers
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu    sync.Mutex // guards loads
	loads map[string]*load
}

type load struct {
	begun time.Time
	ready chan struct{} // closed
}

func newLoader(loaded func()) *loader {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loader{loaded: loaded, memory: freemem.New(), ctx: ctx, cancel: cancel, loads: make(map[string]*load)}
	l.memory.Soon() // so does a start with nothing to load
	return l
}

// begin returns the load of an evaluator, which it begins if none has.
func (l *loader) begin(e *eval.Evaluator) *load {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, begun := l.loads[e.Slug]; begun {
		return known
	}
	begun := &load{begun: time.Now(), ready: make(chan struct{})}
	l.loads[e.Slug] = begun
	if l.ctx.Err() != nil { // shut down: what is not ready will not be
		return begun
	}
	l.done.Go(func() {
		local := e.With(eval.Models{})
		for _, x := range local.Examples {
			// What comes of it is for the tests of the evaluator to look at.
			_, _ = local.FromJSON(l.ctx, json.RawMessage(x.Input), json.RawMessage(x.Config))
		}
		close(begun.ready)
		l.loaded()
		l.memory.Soon()
	})
	return begun
}

// ready reports whether the evaluator is ready, and begins to load it if need
// be.
func (l *loader) ready(e *eval.Evaluator) bool {
	load := l.begin(e)
	select {
	case <-load.ready:
		return true
	default:
	}
	wait := time.NewTimer(time.Until(load.begun.Add(grace)))
	defer wait.Stop()
	select {
	case <-load.ready:
		return true
	case <-l.ctx.Done():
		return false
	case <-wait.C:
		return false
	}
}

// wait waits until the evaluator is ready.
func (l *loader) wait(ctx context.Context, e *eval.Evaluator) {
	select {
	case <-l.begin(e).ready:
	case <-ctx.Done():
	case <-l.ctx.Done():
	}
}

func (l *loader) stop() {
	l.cancel()
	l.done.Wait()
	l.memory.End()
}
