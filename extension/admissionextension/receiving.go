// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname
	"weak"

	"google.golang.org/grpc/mem"
)

// receiving bounds what gRPC servers hold of messages. grpc-go collects a
// message whole before it calls anything of ours, so that many large ones at
// once are in memory before one can be counted. Its buffers come from a pool
// that it can be given: this one counts them, and when there are too many, calls
// whose message is not whole yet are cancelled, which clients may repeat: those
// of the caller who has most of them, all but the oldest. A message that does not
// come whole in time is cancelled, too.
type receiving struct {
	mem.BufferPool
	most     int64
	patience time.Duration
	held     atomic.Int64
	shed     func(calls int) // receives the number of cancelled calls

	buffers sync.Map // *buffer by weak pointer

	mu    sync.Mutex
	calls map[*receivedCall]struct{}
	next  uint64
	last  time.Time
}

// perBuffer is what a buffer takes besides its bytes, here and in grpc-go.
const perBuffer = 256

// receiveTimeout is how long a message may take to come whole, as a request of
// OTLP/HTTP may.
const receiveTimeout = time.Minute

// shortestPooled is the length above which frames have a buffer of the pool. By
// itself grpc-go gives shorter ones than 1 KiB memory that is nowhere counted, so
// that a message in small frames could take what it will.
//
//go:linkname shortestPooled google.golang.org/grpc/internal/mem.BufferPoolingThreshold
var shortestPooled int

func init() { shortestPooled = 0 }

// shedEvery is how long what is cancelled has to give its buffers back.
const shedEvery = 10 * time.Millisecond

// receivedCall is a call whose message has not come whole.
type receivedCall struct {
	caller string
	number uint64
	cancel func()
	stop   func() bool
	late   *time.Timer
}

type receivedCallKey struct{}

func newReceiving(most int64, shed func(int)) *receiving {
	return &receiving{BufferPool: mem.DefaultBufferPool(), most: most, patience: receiveTimeout, shed: shed, calls: make(map[*receivedCall]struct{})}
}

// buffer is what is known of a buffer of the pool, for as long as it exists.
type buffer struct{ used atomic.Int64 } // bytes, 0 while it is in the pool

// Get counts a buffer, until it is put back or, since grpc-go puts not all of
// those back that a cancelled call has not read, collected.
func (r *receiving) Get(length int) *[]byte {
	b := r.BufferPool.Get(length)
	key := weak.Make(b)
	known, old := r.buffers.Load(key)
	if !old {
		known = &buffer{}
		r.buffers.Store(key, known)
		runtime.AddCleanup(b, r.collected, key)
	}
	size := int64(cap(*b)) + perBuffer
	known.(*buffer).used.Store(size)
	if r.held.Add(size) > r.most {
		r.cancelSome(time.Now())
	}
	return b
}

// Put counts it off again.
func (r *receiving) Put(b *[]byte) {
	if known, ok := r.buffers.Load(weak.Make(b)); ok {
		r.held.Add(-known.(*buffer).used.Swap(0))
	}
	r.BufferPool.Put(b)
}

func (r *receiving) collected(key weak.Pointer[[]byte]) {
	if known, ok := r.buffers.LoadAndDelete(key); ok {
		r.held.Add(-known.(*buffer).used.Swap(0))
	}
}

// begin notes that ctx is of a call whose message comes now. The context that
// it gives tells end which call it is.
func (r *receiving) begin(ctx context.Context, caller string, cancel func()) context.Context {
	call := &receivedCall{caller: caller, cancel: cancel}
	r.mu.Lock() // first, so that a call that has ended already is removed after it was noted
	defer r.mu.Unlock()
	call.stop = context.AfterFunc(ctx, func() { r.remove(call) })
	r.next++
	call.number = r.next
	call.late = time.AfterFunc(r.patience, func() {
		r.remove(call)
		cancel()
	})
	r.calls[call] = struct{}{}
	return context.WithValue(ctx, receivedCallKey{}, call)
}

// end notes that the message of ctx's call is whole.
func (r *receiving) end(ctx context.Context) {
	if call, ok := ctx.Value(receivedCallKey{}).(*receivedCall); ok {
		call.stop()
		r.remove(call)
	}
}

func (r *receiving) remove(call *receivedCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if call.late != nil {
		call.late.Stop()
	}
	delete(r.calls, call)
}

// cancelSome cancels calls of the caller who has most of them.
func (r *receiving) cancelSome(now time.Time) {
	r.mu.Lock()
	if now.Sub(r.last) < shedEvery {
		r.mu.Unlock()
		return
	}
	r.last = now
	chosen := r.choose()
	for _, call := range chosen {
		call.late.Stop()
		delete(r.calls, call)
	}
	r.mu.Unlock()
	for _, call := range chosen {
		call.cancel()
	}
	if len(chosen) > 0 {
		r.shed(len(chosen))
	}
}

// cancelAll cancels every call whose message has not come whole.
func (r *receiving) cancelAll() {
	r.mu.Lock()
	all := r.calls
	r.calls = make(map[*receivedCall]struct{})
	r.mu.Unlock()
	for call := range all {
		call.late.Stop()
		call.cancel()
	}
}

// choose returns the calls of the caller who has most, but for the oldest; if
// no one has several, the newest of all, but for a single one.
func (r *receiving) choose() []*receivedCall {
	callers := make(map[string][]*receivedCall)
	most := ""
	for call := range r.calls {
		callers[call.caller] = append(callers[call.caller], call)
		if len(callers[call.caller]) > len(callers[most]) {
			most = call.caller
		}
	}
	if calls := callers[most]; len(calls) > 1 {
		oldest := 0
		for i, call := range calls {
			if call.number < calls[oldest].number {
				oldest = i
			}
		}
		return append(calls[:oldest], calls[oldest+1:]...)
	}
	var newest *receivedCall
	for call := range r.calls {
		if newest == nil || call.number > newest.number {
			newest = call
		}
	}
	if len(r.calls) < 2 {
		return nil
	}
	return []*receivedCall{newest}
}
