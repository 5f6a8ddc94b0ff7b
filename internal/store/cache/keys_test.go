// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func requireUnknown(tb testing.TB, l *cache.Cache, k tenant.Key) {
	tb.Helper()
	_, err := l.Key(tb.Context(), k.Digest)
	require.True(tb, fault.Is(err, fault.NotFound), "%v", err)
}

// change does something to the one key with this id.
func change(tb testing.TB, l store.Organizations, id string, do func(*tenant.Key)) {
	tb.Helper()
	all, err := l.Keys(tb.Context())
	require.NoError(tb, err)
	var of []tenant.EnvironmentID
	for _, k := range all {
		of = append(of, k.Environment.ID)
	}
	require.NoError(tb, l.ChangeKeys(tb.Context(), of, func(keys []tenant.Key) ([]tenant.Key, error) {
		for i := range keys {
			if keys[i].ID == id {
				do(&keys[i])
			}
		}
		return keys, nil
	}))
}

func TestRevokedKeysStopHereAtOnceAndElsewhereAfterARefresh(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		keys := createOrganization(t, l, "acme", "prd", "dev")
		require.NoError(t, other.Refresh(t.Context()))
		requireAgreement(t, other, c[1])
		change(t, l, keys[0].ID, func(k *tenant.Key) { k.RevokedAt = time.Now() })
		requireUnknown(t, l, keys[0])
		require.NoError(t, other.Refresh(t.Context()))
		for _, l := range []*cache.Cache{l, other, open(t, c[0])} {
			requireUnknown(t, l, keys[0])
			_, err := l.Key(t.Context(), keys[1].Digest)
			require.NoError(t, err)
			_, known := l.Environment(keys[0].Environment.ID)
			require.True(t, known, "what is under way of it has a place to go")
		}
	})
}

func TestKeysExpireByTheClock(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	var now atomic.Int64
	now.Store(time.Now().Unix())
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	l, err := cache.New(t.Context(), c, cache.WithClock(clock))
	require.NoError(t, err)
	key := createOrganization(t, l, "acme", "prd")[0]
	change(t, l, key.ID, func(k *tenant.Key) { k.ExpiresAt = clock().Add(time.Minute) })
	_, err = l.Key(t.Context(), key.Digest)
	require.NoError(t, err)
	now.Add(59)
	_, err = l.Key(t.Context(), key.Digest)
	require.NoError(t, err)
	now.Add(1)
	requireUnknown(t, l, key)
}

// A key that another process made a moment ago is looked up before it is
// refused, and one that was refused before it was made is not refused for long.
func TestUnknownKeysAreLookedUp(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		org, keys := storetest.NewOrganization("acme", "prd", "dev")
		requireUnknown(t, other, keys[0])
		require.NoError(t, l.CreateOrganization(t.Context(), org, keys))
		_, err := other.Key(t.Context(), keys[1].Digest)
		require.NoError(t, err)
		_, err = other.Key(t.Context(), keys[0].Digest)
		require.NoError(t, err, "what was remembered as unknown is known by then")
	})
}

// A hundred thousand wrong keys cost a bounded number of queries, and the one that is right
// works all the while.
func TestAFloodOfWrongKeysCostsFewQueries(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	l := open(t, c)
	key := createOrganization(t, l, "acme", "prd")[0]
	before, begun := c.calls.Load(), time.Now()
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for i := range 500 {
		wg.Go(func() {
			for j := range 200 {
				_, err := l.Key(t.Context(), tenant.DigestOf(fmt.Sprint(i, j)))
				if !fault.Is(err, fault.NotFound) {
					wrong.Add(1)
				}
				if _, err := l.Key(t.Context(), key.Digest); err != nil {
					wrong.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, wrong.Load())
	most := 21 + 20*time.Since(begun).Seconds() // what may go at once, and so many a second
	require.LessOrEqual(t, float64(c.calls.Load()-before), most)
}

func TestKeysThatCannotBeLookedUpMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	l := open(t, c)
	key := createOrganization(t, l, "acme", "prd")[0]
	c.before = func() error { return errLine }
	_, err := l.Key(t.Context(), tenant.DigestOf("guessed"))
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	_, err = l.Key(t.Context(), key.Digest)
	require.NoError(t, err, "who is known needs no store")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.Key(ctx, tenant.DigestOf("guessed"))
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.Eventually(t, func() bool { // the one who left began a look-up, which ends
		_, err := l.Key(t.Context(), tenant.DigestOf("guessed"))
		return fault.Is(err, fault.Unavailable)
	}, time.Minute, time.Millisecond)
	c.before = nil
	_, err = l.Key(t.Context(), tenant.DigestOf("guessed"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestUsesAreNotedToTheMinute(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 1)[0]
		var now atomic.Int64
		now.Store(time.Date(2026, 11, 22, 10, 20, 30, 0, time.UTC).Unix())
		l, err := cache.New(t.Context(), c, cache.WithClock(func() time.Time { return time.Unix(now.Load(), 0) }))
		require.NoError(t, err)
		keys := createOrganization(t, l, "acme", "prd", "dev")
		used := func() time.Time {
			stored, err := c.Keys(t.Context(), keys[0].Environment.ID)
			require.NoError(t, err)
			return stored[0].UsedAt
		}
		calls := c.calls.Load()
		require.NoError(t, l.NoteUses(t.Context()))
		require.Equal(t, calls, c.calls.Load(), "nothing to note")
		for range 100 {
			_, err = l.Key(t.Context(), keys[0].Digest)
			require.NoError(t, err)
		}
		c.before = func() error { return errLine }
		require.Error(t, l.NoteUses(t.Context()))
		c.before = nil
		require.NoError(t, l.NoteUses(t.Context()), "what was not noted is noted later")
		require.Equal(t, time.Date(2026, 11, 22, 10, 20, 0, 0, time.UTC), used())
		calls = c.calls.Load()
		require.NoError(t, l.NoteUses(t.Context()))
		require.Equal(t, calls, c.calls.Load())
		changes, err := c.Changes(t.Context(), 2)
		require.NoError(t, err)
		require.Empty(t, changes.List, "other processes need not hear of it")
		now.Add(60)
		_, err = l.Key(t.Context(), keys[0].Digest)
		require.NoError(t, err)
		require.NoError(t, l.NoteUses(t.Context()))
		require.Equal(t, time.Date(2026, 11, 22, 10, 21, 0, 0, time.UTC), used())
	})
}

func TestADeletedOrganizationIsForgotten(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, lines opener) {
		c := lines(t, 2)
		l, other := open(t, c[0]), open(t, c[1])
		org, keys := storetest.NewOrganization("acme", "prd")
		require.NoError(t, l.CreateOrganization(t.Context(), org, keys))
		blue := createOrganization(t, l, "blue", "prd")[0]
		require.NoError(t, store.Setups(l).Create(t.Context(), storetest.NewSetup(keys[0].Environment, "m")))
		require.NoError(t, other.Refresh(t.Context()))
		_, err := l.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error { o.DeletedAt = time.Now(); return nil })
		require.NoError(t, err)
		require.NoError(t, other.Refresh(t.Context()))
		for _, l := range []*cache.Cache{l, other} {
			requireUnknown(t, l, keys[0])
			_, known := l.Environment(keys[0].Environment.ID)
			require.False(t, known)
			require.Empty(t, l.Setups(keys[0].Environment.ID))
			_, err := l.Key(t.Context(), blue.Digest)
			require.NoError(t, err)
		}
	})
}

func TestEnvironmentsHaveTheQuotaOfDefaults(t *testing.T) {
	t.Parallel()
	c := lines(t, 1)[0]
	l, err := cache.New(t.Context(), c, cache.WithQuota(tenant.Quota{SpansPerSecond: 10, ConcurrentQueries: 4}))
	require.NoError(t, err)
	org, keys := storetest.NewOrganization("acme", "prd")
	org.Projects[0].Environments[0].Quota = tenant.Quota{SpansPerSecond: 20}
	require.NoError(t, l.CreateOrganization(t.Context(), org, keys))
	k, err := l.Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	require.Equal(t, tenant.Quota{SpansPerSecond: 20, ConcurrentQueries: 4}, k.Environment.Quota)
	_, err = l.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error {
		o.Projects[0].Environments[0].Quota = tenant.Quota{}
		return nil
	})
	require.NoError(t, err)
	k, err = l.Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	require.Equal(t, tenant.Quota{SpansPerSecond: 10, ConcurrentQueries: 4}, k.Environment.Quota)
}
