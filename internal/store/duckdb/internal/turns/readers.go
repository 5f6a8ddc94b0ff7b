// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// What a running query keeps in memory that the engine cannot give up: a block
// of 256 KiB for each column that it reads, on each of its threads, and tables
// of its own. Measured on pages of whole spans of 3.4 KB: 14 MiB.
const readerMemory = 16 << 20

// Bounds of how many queries run at once.
const (
	fewestReaders = 2
	MostReaders   = 8
)

// Patience is how long a query waits for its place, and how long one who writes waits
// for queries to end that take the memory he needs.
type Patience struct{ Reader, Writer time.Duration }

// Readers lets a bounded number of queries run at once, so that what they hold
// in memory leaves room for those who write. One environment can have all places
// but one.
type Readers struct {
	// Patience is not changed while a call waits.
	Patience Patience

	limit  int64
	places *semaphore.Weighted

	mu   sync.Mutex
	envs map[tenant.EnvironmentID]*envReaders
}

// envReaders are the places of one environment. They are forgotten when no one
// uses or wants one.
type envReaders struct {
	places *semaphore.Weighted
	users  int
}

// NewReaders returns readers for an engine with this memory limit in bytes, of
// which they may have half.
func NewReaders(memoryLimit int64) *Readers {
	n := min(max(memoryLimit/2/readerMemory, fewestReaders), MostReaders)
	return &Readers{
		Patience: Patience{Reader: 30 * time.Second, Writer: 5 * time.Second},
		limit:    n,
		places:   semaphore.NewWeighted(n),
		envs:     map[tenant.EnvironmentID]*envReaders{},
	}
}

// Enter waits for a place and returns what gives it back. The error is the
// context's, or Unavailable when others kept all places for too long.
func (r *Readers) Enter(ctx context.Context, env tenant.EnvironmentID) (leave func(), err error) {
	own := r.of(env)
	if err := r.wait(ctx, r.Patience.Reader, own.places, 1); err != nil {
		r.forget(env)
		return nil, err
	}
	if err := r.wait(ctx, r.Patience.Reader, r.places, 1); err != nil {
		own.places.Release(1)
		r.forget(env)
		return nil, err
	}
	return func() {
		r.places.Release(1)
		own.places.Release(1)
		r.forget(env)
	}, nil
}

// EnterAlone waits until there is no reader, and keeps everybody out until leave is
// called.
func (r *Readers) EnterAlone(ctx context.Context, patience time.Duration) (leave func(), err error) {
	if err := r.wait(ctx, patience, r.places, r.limit); err != nil {
		return nil, err
	}
	return func() { r.places.Release(r.limit) }, nil
}

// EnterFor waits for as many places as so many bytes of memory are, all but one at most,
// for at most so long. Leave gives back those that it got, which may be none.
func (r *Readers) EnterFor(ctx context.Context, bytes int64, patience time.Duration) (leave func()) {
	n := min((bytes+readerMemory-1)/readerMemory, r.limit-1)
	if r.wait(ctx, patience, r.places, n) != nil {
		return func() {}
	}
	return func() { r.places.Release(n) }
}

// wait takes n of some places. The error is the context's, or Unavailable when
// they were not free within patience.
func (r *Readers) wait(ctx context.Context, patience time.Duration, places *semaphore.Weighted, n int64) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := places.Acquire(waiting, n)
	if err != nil && ctx.Err() == nil {
		return fault.New(fault.Unavailable, "the span store has too many queries to answer at once")
	}
	return err
}

// of returns the places of an environment, for a caller who forgets them later.
func (r *Readers) of(env tenant.EnvironmentID) *envReaders {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.envs[env]
	if x == nil {
		x = &envReaders{places: semaphore.NewWeighted(max(r.limit-1, 1))}
		r.envs[env] = x
	}
	x.users++
	return x
}

// forget is for a caller who does not want the places of an environment any more.
func (r *Readers) forget(env tenant.EnvironmentID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.envs[env]; x != nil {
		if x.users--; x.users == 0 {
			delete(r.envs, env)
		}
	}
}
