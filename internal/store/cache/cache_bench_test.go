// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// large returns a cache of 10,000 keys, each of an environment with one setup,
// and 10,000 more setups in the first environment.
func large(b *testing.B) (*cache.Cache, *inMemory) {
	b.Helper()
	const many = 10_000
	slugs := make([]string, many)
	for i := range slugs {
		slugs[i] = fmt.Sprint("env-", i)
	}
	c := &inMemory{}
	var org tenant.Organization
	org, c.keys = storetest.NewOrganization("large", slugs...)
	for _, k := range c.keys {
		c.setups = append(c.setups, storetest.NewSetup(k.Environment, "quality"))
	}
	for i := range many {
		s := storetest.NewSetup(c.keys[0].Environment, fmt.Sprint("quality-", i))
		s.CreatedAt = s.CreatedAt.Add(time.Duration(i))
		c.setups = append(c.setups, s)
	}
	require.Len(b, org.AllEnvironments(), many)
	for _, s := range c.setups {
		require.NoError(b, store.Setups(c).Create(b.Context(), s))
	}
	return open(b, c), c
}

func BenchmarkCache(b *testing.B) {
	l, c := large(b)
	keys := c.keys
	b.Run("Key", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_, _ = l.Key(b.Context(), keys[i%len(keys)].Digest)
		}
	})
	b.Run("UnknownKey", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = l.Key(b.Context(), tenant.Digest{1})
		}
	})
	b.Run("Setups", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = l.Setups(keys[i%len(keys)].Environment.ID)
		}
	})
	for name, env := range map[string]tenant.Environment{
		"ReplaceIn10kEnvironments": keys[1].Environment, "ReplaceAmong10k": keys[0].Environment,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := storetest.NewSetup(env, "quality")
			for b.Loop() {
				_, err := store.Setups(l).Replace(b.Context(), s)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkRefresh is of 10,000 keys and 20,000 setups, without the database.
func BenchmarkRefresh(b *testing.B) {
	l, c := large(b)
	b.Run("NoNews", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, l.Refresh(b.Context()))
		}
	})
	b.Run("News", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.touch(b, storetest.NewSetup(c.keys[1].Environment, "quality"))
			require.NoError(b, l.Refresh(b.Context()))
		}
	})
	b.Run("AllAnew", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.forgot = true
			require.NoError(b, l.Refresh(b.Context()))
		}
	})
}

// inMemory takes the database out of the benchmark.
type inMemory struct {
	store.Control
	keys    []tenant.Key
	setups  []monitor.Setup
	all     []store.Document
	latest  store.Document
	changes store.Changes
	forgot  bool
}

func (c *inMemory) Changes(_ context.Context, after int64) (store.Changes, error) {
	if after < 0 || c.forgot {
		c.forgot = false
		return store.Changes{Number: c.changes.Number, All: true}, nil
	}
	if after == c.changes.Number {
		return store.Changes{Number: after}, nil
	}
	return c.changes, nil
}

func (c *inMemory) Keys(context.Context, ...tenant.EnvironmentID) ([]tenant.Key, error) {
	return c.keys, nil
}

func (c *inMemory) List(_ context.Context, f store.DocumentFilter) ([]store.Document, error) {
	if f.IDs != nil {
		return []store.Document{c.latest}, nil
	}
	return c.all, nil
}

func (c *inMemory) Create(_ context.Context, d store.Document) error {
	c.all = append(c.all, d)
	return nil
}

func (c *inMemory) Replace(_ context.Context, d store.Document) (store.Document, error) {
	d.Revision = c.changes.Number + 2
	c.latest = d
	c.changes = store.Changes{Number: c.changes.Number + 1, List: []store.Change{{Environment: d.Environment, ID: d.ID}}}
	return d, nil
}

func (c *inMemory) touch(b *testing.B, s monitor.Setup) {
	b.Helper()
	_, err := store.Setups(c).Replace(b.Context(), s)
	require.NoError(b, err)
}
