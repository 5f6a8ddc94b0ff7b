// SPDX-License-Identifier: Apache-2.0

// Package cache keeps near what the hot path asks of a control store: keys,
// environments and setups. It holds one rule: memory follows the changes of the
// store, in their order, and who wrote or read a setup is answered when memory
// has followed past what was written or read.
package cache

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Provider is an extension that provides a control store behind its memory.
type Provider interface {
	Control() *Cache
}

// Cache is a control store behind a memory of its keys and setups. Environment,
// Setups and All ask memory only, and take no lock; so does Key where it knows
// the key. Everything else asks the control store, and what it answers of keys
// and setups is in memory by then. What other processes change is in memory
// after the next Refresh.
type Cache struct {
	control store.Control

	following sync.Mutex // held while memory follows; guards number
	number    int64      // of the last change that memory has

	now          func() time.Time
	quota        tenant.Quota // what is not said of an environment's
	keys         sync.Map     // tenant.Digest: *knownKey
	unknown      *lru.Cache[tenant.Digest, time.Time]
	asking       asking
	environments atomic.Pointer[map[tenant.EnvironmentID]*environment]
	version      atomic.Uint64
}

// environment is one of the environments in memory. The map of them is another
// one when an environment is new, which is rare; their setups change in place.
type environment struct {
	about  tenant.Environment // without an ID while no key tells of it
	setups atomic.Pointer[[]monitor.Setup]
}

var (
	_ store.Documents     = (*Cache)(nil)
	_ store.Organizations = (*Cache)(nil)
)

// Option is something that a cache does other than by default.
type Option func(*Cache)

// WithQuota has environments take the quota of defaults where their own does not
// say anything.
func WithQuota(defaults tenant.Quota) Option { return func(c *Cache) { c.quota = defaults } }

// WithClock has the cache read the time from now.
func WithClock(now func() time.Time) Option { return func(c *Cache) { c.now = now } }

// New returns a cache with all that the control store has, which stays the
// caller's to close.
func New(ctx context.Context, control store.Control, options ...Option) (*Cache, error) {
	c := &Cache{
		control: control, number: -1, now: time.Now,
		unknown: newUnknown(), asking: asking{pace: pace.PerSecond(asksPerSecond)},
	}
	for _, set := range options {
		set(c)
	}
	c.environments.Store(new(map[tenant.EnvironmentID]*environment))
	if err := c.Refresh(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Environment returns the environment with this id, if it has a key.
func (c *Cache) Environment(id tenant.EnvironmentID) (env tenant.Environment, known bool) {
	e, ok := (*c.environments.Load())[id]
	if !ok || e.about.ID == "" {
		return tenant.Environment{}, false
	}
	return e.about, true
}

// Setups returns the setups of an environment, oldest first, which no caller may
// change. It is the very same slice until one of them changes.
func (c *Cache) Setups(env tenant.EnvironmentID) []monitor.Setup {
	e, ok := (*c.environments.Load())[env]
	if !ok {
		return nil
	}
	return *e.setups.Load()
}

// All returns the setups of all environments; those of one environment follow
// one another, oldest first.
func (c *Cache) All() iter.Seq[*monitor.Setup] {
	return func(yield func(*monitor.Setup) bool) {
		for _, e := range *c.environments.Load() {
			setups := *e.setups.Load()
			for i := range setups {
				if !yield(&setups[i]) {
					return
				}
			}
		}
	}
}

// Version returns a number that grows whenever a setup changes in memory, after
// the change can be seen.
func (c *Cache) Version() uint64 { return c.version.Load() }

// writeTimeout bounds a write once it has begun, whatever becomes of the
// caller.
const writeTimeout = 30 * time.Second

// write does one write and has memory follow, whatever came of it: a write may
// have been done that answered with an error, and one that was refused may show
// that memory is behind. It is not begun for a caller who has left, and not
// given up for one who leaves.
func (c *Cache) write(ctx context.Context, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "cancelled")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	err := do(ctx)
	if behind := c.Refresh(ctx); err == nil {
		err = behind
	}
	return err
}
