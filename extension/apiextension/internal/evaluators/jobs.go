// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of executions. Of finished ones only results are kept, which are
// small; waiting ones keep their inputs.
const (
	executionsKept    = 20_000
	executionsPerOwn  = 2_000
	executionsAtOnce  = 8 // of one environment; the rest wait for their turn
	executionsAge     = 10 * time.Minute
	executionBytes    = 64 << 20
	executionOwnBytes = 16 << 20
)

// Jobs are evaluations that run apart from the requests that asked for
// them. They live in memory: their results are read within moments, by the
// client that began them, and who finds one lost asks again.
type Jobs struct {
	timeout time.Duration
	now     func() time.Time
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	byID   map[string]*list.Element
	oldest *list.List // of *execution, by age
	bytes  int        // of inputs of all that are not done
	owners map[tenant.EnvironmentID]*executionOwner
}

// executionOwner is what one environment has of the executions.
type executionOwner struct {
	kept, bytes int
	turns       chan struct{}
}

// execution is one evaluation. What it came to may be read once done is closed.
type execution struct {
	id     string
	env    tenant.EnvironmentID
	size   int
	cancel context.CancelFunc
	done   chan struct{}
	result eval.Result
	err    error

	ended time.Time // zero while it is not done; guarded by Jobs.mu
}

type runEvaluator func(ctx context.Context, input, config json.RawMessage) (eval.Result, error)

// NewJobs returns none, each of which may take as long as timeout.
func NewJobs(timeout time.Duration, now func() time.Time) *Jobs {
	return &Jobs{
		timeout: timeout,
		now:     now,
		byID:    make(map[string]*list.Element),
		oldest:  list.New(),
		owners:  make(map[tenant.EnvironmentID]*executionOwner),
	}
}

// start begins an execution, which goes on when the caller leaves. From the
// call to its end it has the timeout, waiting included.
func (e *Jobs) start(ctx context.Context, env tenant.EnvironmentID, input, config json.RawMessage, run runEvaluator) (*execution, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, fault.New(fault.Unavailable, "the service is shutting down")
	}
	e.sweep()
	x := &execution{id: uuid.NewString(), env: env, size: len(input) + len(config), done: make(chan struct{})}
	owner := e.owners[env]
	if owner == nil {
		owner = &executionOwner{turns: make(chan struct{}, executionsAtOnce)}
	}
	if owner.bytes+x.size > executionOwnBytes || e.bytes+x.size > executionBytes ||
		owner.kept >= executionsPerOwn && !e.forget(env) || len(e.byID) >= executionsKept && !e.forget("") {
		return nil, fault.New(fault.Unavailable, "too many executions are waiting")
	}
	e.owners[env] = owner
	owner.kept++
	owner.bytes += x.size
	e.bytes += x.size
	e.byID[x.id] = e.oldest.PushBack(x)

	ctx, x.cancel = context.WithTimeout(context.WithoutCancel(ctx), e.timeout)
	e.running.Go(func() {
		defer x.cancel()
		x.result, x.err = x.turn(ctx, owner.turns, func() (eval.Result, error) { return run(ctx, input, config) })
		e.end(x)
	})
	return x, nil
}

// turn waits until the environment has a turn left and runs.
func (x *execution) turn(ctx context.Context, turns chan struct{}, run func() (eval.Result, error)) (result eval.Result, err error) {
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		return result, interrupted(ctx, ctx.Err())
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("execution panicked with a %T", p) // what it holds may be a user's text
		}
	}()
	result, err = run()
	if err != nil && ctx.Err() != nil && fault.Is(err, fault.Internal) {
		err = interrupted(ctx, err)
	}
	return result, err
}

func interrupted(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "the execution took too long")
	}
	return fault.Wrap(fault.Unavailable, err, "the service is shutting down")
}

func (e *Jobs) end(x *execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x.ended = e.now()
	e.bytes -= x.size
	if owner := e.owners[x.env]; owner != nil {
		owner.bytes -= x.size
	}
	close(x.done)
}

// find returns the environment's execution with this id.
func (e *Jobs) find(env tenant.EnvironmentID, id string) (*execution, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sweep()
	at, found := e.byID[id]
	if !found || at.Value.(*execution).env != env {
		return nil, false
	}
	return at.Value.(*execution), true
}

// sweep forgets what ended long ago. What began earlier ends earlier, but for
// the timeout.
func (e *Jobs) sweep() {
	for at := e.oldest.Front(); at != nil; at = e.oldest.Front() {
		x := at.Value.(*execution)
		if x.ended.IsZero() || e.now().Sub(x.ended) < executionsAge {
			return
		}
		e.remove(at)
	}
}

// forget makes room by the oldest result of an environment, or of all if env
// is "", and reports whether there was one.
func (e *Jobs) forget(env tenant.EnvironmentID) bool {
	for at := e.oldest.Front(); at != nil; at = at.Next() {
		x := at.Value.(*execution)
		if !x.ended.IsZero() && (env == "" || env == x.env) {
			e.remove(at)
			return true
		}
	}
	return false
}

func (e *Jobs) remove(at *list.Element) {
	x := e.oldest.Remove(at).(*execution)
	delete(e.byID, x.id)
	owner := e.owners[x.env]
	owner.kept--
	if owner.kept == 0 {
		delete(e.owners, x.env)
	}
}

// Stop ends all executions and waits for them. Callers that wait for a result
// get an error.
func (e *Jobs) Stop() {
	e.mu.Lock()
	e.closed = true
	for at := e.oldest.Front(); at != nil; at = at.Next() {
		at.Value.(*execution).cancel()
	}
	e.mu.Unlock()
	e.running.Wait()
}
