// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of the executions that have a request which waits for them: how many of one
// environment there are, and how many bytes of inputs they have, of one and of all. An evaluator
// may take seven times its inputs in memory, which who sends spans lacks.
const (
	waitedFor      = 64
	waitedForBytes = 12 << 20
	waitedForByAll = 32 << 20
)

// What an evaluator computes of fewBytes is done within some hundredths of a second. Of
// more it may be seconds, in which a processor does nothing else: such executions leave
// one to those who send spans, and have turns on the others. One that lasts longer than
// turnPatience no longer keeps others from them.
const (
	fewBytes     = 32 << 10
	turnPatience = 30 * time.Second
)

// atOnce counts the executions that requests wait for. The zero value is ready.
type atOnce struct {
	held  fair.Held[tenant.EnvironmentID]
	made  sync.Once
	turns *fair.Slots[tenant.EnvironmentID] // of those with more than fewBytes
}

// turn waits until an execution with so many bytes of inputs may compute, which it does
// until end is called.
func (a *atOnce) turn(ctx context.Context, env tenant.EnvironmentID, bytes int) (end func(), err error) {
	if bytes <= fewBytes {
		return func() {}, nil
	}
	a.made.Do(func() {
		a.turns = fair.NewSlots[tenant.EnvironmentID](max(1, runtime.GOMAXPROCS(0)-1))
		a.turns.Lend(turnPatience)
	})
	if err := a.turns.Take(ctx, env); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "too many executions are under way; try again later")
	}
	begun := time.Now()
	return sync.OnceFunc(func() { a.turns.Give(env, time.Since(begun)) }), nil
}

// enter begins one with so many bytes of inputs. Who has others under way is refused as
// Limited where there would be too much of his own, and as Unavailable where there
// would be of all.
func (a *atOnce) enter(env tenant.EnvironmentID, bytes int) (leave func(), err error) {
	return a.held.Enter(env, bytes, func(own, all fair.Share) error {
		switch {
		case own.N >= waitedFor:
			return fault.Limit(time.Second, "the environment has %d executions under way: try again when one is over", waitedFor)
		case own.N > 0 && own.Bytes+bytes > waitedForBytes:
			return fault.Limit(time.Second, "the environment has executions of %d MiB under way: try again when one is over", own.Bytes>>20)
		case all.Bytes > 0 && all.Bytes+bytes > waitedForByAll:
			return fault.New(fault.Unavailable, "too many executions are under way; try again later")
		}
		return nil
	})
}

// read returns the body of a request, unless what it says of its length would be refused
// now.
func (a *atOnce) read(r *http.Request, env tenant.EnvironmentID) ([]byte, error) {
	if r.ContentLength > fewBytes {
		leave, err := a.enter(env, int(r.ContentLength))
		if err != nil {
			return nil, err
		}
		leave()
	}
	return rest.ReadBody(r)
}
