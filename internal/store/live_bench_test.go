// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// large gives a Live of 10,000 keys, each of an environment with one setup,
// and 10,000 more setups in the first environment.
func large(b *testing.B) (*store.Live, *inMemory) {
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
	return newLive(b, c), c
}

func BenchmarkLive(b *testing.B) {
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
	b.Run("SnapshotOf", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = l.Setups().Of(keys[i%len(keys)].Environment.ID)
		}
	})
	for name, env := range map[string]tenant.Environment{
		"ReplaceIn10kEnvironments": keys[1].Environment, "ReplaceAmong10k": keys[0].Environment,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := storetest.NewSetup(env, "quality")
			for b.Loop() {
				_, err := l.ReplaceSetup(b.Context(), s)
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
			c.changes++
			require.NoError(b, l.Refresh(b.Context()))
		}
	})
}

// inMemory takes the database out of the benchmark.
type inMemory struct {
	store.Control
	keys    []tenant.Key
	setups  []monitor.Setup
	changes int64
}

func (c *inMemory) Changes(context.Context) (int64, error)             { return c.changes, nil }
func (c *inMemory) Keys(context.Context) ([]tenant.Key, error)         { return c.keys, nil }
func (c *inMemory) AllSetups(context.Context) ([]monitor.Setup, error) { return c.setups, nil }
func (c *inMemory) ReplaceSetup(_ context.Context, s monitor.Setup) (monitor.Setup, error) {
	return s, nil
}
