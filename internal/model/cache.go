// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CacheLimits bound a cache. Without either there is none.
type CacheLimits struct {
	// Bytes is about how much memory the entries may take.
	Bytes int64
	// Age is how old an answer may be when it is given again.
	Age time.Duration
}

func (l CacheLimits) off() bool { return l.Bytes <= 0 || l.Age <= 0 }

// key is a digest of everything that an answer depends on.
type key [sha256.Size]byte

// keyOf digests parts so that no two different lists give the same bytes.
func keyOf(parts ...string) key {
	h := sha256.New()
	var size [8]byte
	for _, part := range parts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return key(h.Sum(nil))
}

// entryOverhead is about what an entry takes besides its value: key, list
// element, map slot. Values are counted with their structure and their texts.
const entryOverhead = 256

// cache keeps answers and lets those of one environment who ask the same thing at the same
// time wait for one answer. Errors are not kept. Environments share nothing: one would
// learn what another had judged.
type cache[V any] struct {
	clock  Clock
	limits CacheLimits
	size   func(V) int
	flight singleflight.Group

	mu        sync.Mutex
	entries   *simplelru.LRU[key, entry[V]]
	bytes     int64
	forgotten int // how often all was
}

type entry[V any] struct {
	value V
	bytes int64
	until time.Time
}

// newCache makes the cache of what a guard's server answers, whose values take size
// bytes each. It is forgotten with the guard's others.
func newCache[V any](guard *Guard, limits CacheLimits, size func(V) int) *cache[V] {
	whole := func(v V) int { return size(v) + int(reflect.TypeFor[V]().Size()) }
	c := &cache[V]{clock: guard.clock, limits: limits, size: whole}
	if limits.off() {
		return c
	}
	guard.caches = append(guard.caches, c)
	// The count is never reached: every entry takes the overhead.
	most := int(limits.Bytes/entryOverhead) + 1
	entries, err := simplelru.NewLRU(most, func(_ key, e entry[V]) { c.bytes -= e.bytes })
	if err != nil {
		panic(err) // The count is above 0.
	}
	c.entries = entries
	return c
}

// do returns the kept answer, or what load gives, and whether another call
// paid for it. When the caller that loads goes away, another that waits loads.
func (c *cache[V]) do(ctx context.Context, k key, load func(context.Context) (V, error)) (V, bool, error) {
	if c.entries == nil {
		v, err := load(ctx)
		return v, false, err
	}
	k = keyOf(string(tenant.EnvironmentOf(ctx)), string(k[:]))
	for {
		if v, ok := c.get(k); ok {
			return v, true, nil
		}
		mine := false
		loading := c.flight.DoChan(string(k[:]), func() (any, error) {
			if v, ok := c.get(k); ok { // who asked before was done a moment ago
				return v, nil
			}
			mine = true
			since := c.timesForgotten()
			v, err := load(ctx)
			if err == nil {
				c.put(k, v, since)
			}
			return v, err
		})
		if leading, v, err := c.await(ctx, loading, &mine); !leading {
			return v.value, v.shared, err
		}
	}
}

type loaded[V any] struct {
	value  V
	shared bool
}

// await waits for an answer that is loading. It reports true when the caller that
// loaded it went away and the caller is to try itself.
func (c *cache[V]) await(ctx context.Context, loading <-chan singleflight.Result, mine *bool) (bool, loaded[V], error) {
	select {
	case r := <-loading:
		v, _ := r.Val.(V)
		if r.Err != nil && !*mine && ctx.Err() == nil && wasCancelled(r.Err) {
			return true, loaded[V]{}, nil
		}
		return false, loaded[V]{v, !*mine}, r.Err
	case <-ctx.Done():
		return false, loaded[V]{}, &failure{reason: ReasonCancelled, cause: ctx.Err()}
	}
}

func wasCancelled(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.reason == ReasonCancelled
}

func (c *cache[V]) get(k key) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries.Get(k)
	if ok && !c.clock.Now().Before(e.until) {
		c.entries.Remove(k)
		ok = false
	}
	if !ok {
		var none V
		return none, false
	}
	return e.value, true
}

func (c *cache[V]) timesForgotten() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forgotten
}

// forget forgets all answers, those too that are on their way.
func (c *cache[V]) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgotten++
	c.entries.Purge()
	c.bytes = 0
}

// put keeps an answer and lets go of the longest unused ones that it displaces,
// unless all were forgotten since it was asked for.
func (c *cache[V]) put(k key, v V, since int) {
	bytes := int64(c.size(v)) + entryOverhead
	if bytes > c.limits.Bytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forgotten != since {
		return
	}
	c.entries.Remove(k)
	c.entries.Add(k, entry[V]{v, bytes, c.clock.Now().Add(c.limits.Age)})
	c.bytes += bytes
	for c.bytes > c.limits.Bytes {
		c.entries.RemoveOldest()
	}
}
