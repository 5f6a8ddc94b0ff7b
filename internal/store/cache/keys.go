// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// asksPerSecond is how many queries a second unknown keys cost at most.
	asksPerSecond = 20
	// maxAsking is how many callers with unknown keys may wait for an answer.
	maxAsking = 1000
	// askTimeout bounds one query for unknown keys.
	askTimeout = 5 * time.Second
	// maxUnknown is how many digests that are no key are remembered, and
	// unknownFor how long: a key that is made meanwhile is known by the next
	// Refresh all the same.
	maxUnknown = 10_000
	unknownFor = 10 * time.Second
)

// knownKey is a key in memory.
type knownKey struct {
	tenant.Key
	used  atomic.Int64 // Unix minutes of the last use in this process
	noted atomic.Int64 // of the last use that the store recorded
}

// Key returns the working key with this digest. It answers NotFound for every
// other digest once the control store has been asked, and Unavailable where it
// cannot be. Keys in memory cost no query, and however many others are tried,
// they cost a bounded number of queries; who tries them waits. The digest of a
// guessed credential cannot be steered, so the time of the look-up tells nothing
// of the digests that exist.
func (c *Cache) Key(ctx context.Context, digest tenant.Digest) (tenant.Key, error) {
	now := c.now()
	if k, ok := c.known(digest); ok {
		return k.use(now)
	}
	if at, ok := c.unknown.Get(digest); ok && now.Sub(at) < unknownFor {
		return tenant.Key{}, errUnknownKey
	}
	if err := c.asking.ask(ctx, c.Refresh); err != nil {
		return tenant.Key{}, fault.Wrap(fault.Unavailable, err, "keys cannot be looked up just now")
	}
	if k, ok := c.known(digest); ok {
		return k.use(now)
	}
	c.unknown.Add(digest, now)
	return tenant.Key{}, errUnknownKey
}

var errUnknownKey = fault.New(fault.NotFound, "key not found")

func (c *Cache) known(digest tenant.Digest) (*knownKey, bool) {
	k, ok := c.keys.Load(digest)
	if !ok {
		return nil, false
	}
	return k.(*knownKey), true
}

// use returns the key if it works, and notes that it was used.
func (k *knownKey) use(now time.Time) (tenant.Key, error) {
	if !k.Works(now) {
		return tenant.Key{}, errUnknownKey
	}
	if minute := now.Unix() / 60; k.used.Load() != minute {
		k.used.Store(minute)
	}
	return k.Key, nil
}

// NoteUses tells the control store of the keys that were used since the last
// call, to the minute, in one transaction.
func (c *Cache) NoteUses(ctx context.Context) error {
	fresh := make(map[string]*knownKey)
	environments := make(map[tenant.EnvironmentID]bool)
	minutes := make(map[string]int64)
	c.keys.Range(func(_, v any) bool {
		k := v.(*knownKey)
		if minute := k.used.Load(); minute > k.noted.Load() {
			fresh[k.ID], minutes[k.ID] = k, minute
			environments[k.Environment.ID] = true
		}
		return true
	})
	if len(fresh) == 0 {
		return nil
	}
	var of []tenant.EnvironmentID
	for id := range environments {
		of = append(of, id)
	}
	err := c.control.ChangeKeys(ctx, of, func(keys []tenant.Key) ([]tenant.Key, error) {
		for i := range keys {
			if at := time.Unix(60*minutes[keys[i].ID], 0).UTC(); at.After(keys[i].UsedAt) && minutes[keys[i].ID] > 0 {
				keys[i].UsedAt = at
			}
		}
		return keys, nil
	})
	if err != nil {
		return err
	}
	for id, k := range fresh {
		k.noted.Store(minutes[id])
	}
	return nil
}

// asking lets callers share queries: one query answers all who came before it
// began, and there are only so many a second.
type asking struct {
	pace *pace.Bucket

	mu      sync.Mutex
	next    *answer // of the query that has not begun
	waiting int
}

type answer struct {
	done chan struct{}
	err  error
}

// ask waits for a query that began after the call did.
func (a *asking) ask(ctx context.Context, query func(context.Context) error) error {
	a.mu.Lock()
	if a.waiting >= maxAsking {
		a.mu.Unlock()
		return errManyAsking
	}
	a.waiting++
	defer func() {
		a.mu.Lock()
		a.waiting--
		a.mu.Unlock()
	}()
	mine := a.next
	if mine == nil {
		mine = &answer{done: make(chan struct{})}
		a.next = mine
		// A caller that comes first may leave before the others.
		go a.run(context.WithoutCancel(ctx), mine, query)
	}
	a.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errManyAsking = fault.New(fault.Unavailable, "too many unknown keys are being looked up")

func (a *asking) run(ctx context.Context, mine *answer, query func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	defer close(mine.done)
	now := time.Now()
	_ = pace.Sleep(ctx, a.pace.Take(now, 1).Delay(now))
	a.mu.Lock()
	a.next = nil // who comes now asks again
	a.mu.Unlock()
	mine.err = query(ctx)
}

func newUnknown() *lru.Cache[tenant.Digest, time.Time] {
	c, _ := lru.New[tenant.Digest, time.Time](maxUnknown) // fails for sizes below 1
	return c
}
