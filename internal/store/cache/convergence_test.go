// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// counted counts what is read of a control store.
type counted struct {
	*sqldb.DB
	documents, keys, changes atomic.Int64
}

func (c *counted) List(ctx context.Context, f store.DocumentFilter) ([]store.Document, error) {
	list, err := c.DB.List(ctx, f)
	c.documents.Add(int64(len(list)))
	return list, err
}

func (c *counted) Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error) {
	list, err := c.DB.Keys(ctx, of...)
	c.keys.Add(int64(len(list)))
	return list, err
}

func (c *counted) Changes(ctx context.Context, after int64) (store.Changes, error) {
	changes, err := c.DB.Changes(ctx, after)
	c.changes.Add(int64(len(changes.List)))
	return changes, err
}

// follower is a cache that follows as a process does, but that it never looks without being
// woken: what it does not hear of it does not know.
type follower struct {
	*cache.Cache
	control *counted
	wait    sync.WaitGroup

	mu      sync.Mutex
	pending map[string]awaited // by the id of a setup
	took    []time.Duration
}

// awaited is what is to be seen, and since when.
type awaited struct {
	env   tenant.EnvironmentID
	value string
	made  time.Time
}

func follow(t *testing.T, dsn string) *follower {
	t.Helper()
	db, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: dsn, MaxConnections: 2, Migration: store.MigrateOff})
	require.NoError(t, err)
	f := &follower{control: &counted{DB: db}, pending: map[string]awaited{}}
	f.Cache = open(t, f.control)
	ctx, cancel := context.WithCancel(t.Context())
	wake := make(chan struct{}, 1)
	f.wait.Go(func() {
		db.Listen(ctx, func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
	})
	f.wait.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-wake:
			}
			for f.Refresh(ctx) != nil && ctx.Err() == nil {
			}
			f.look()
		}
	})
	t.Cleanup(func() {
		cancel()
		f.wait.Wait()
		require.NoError(t, db.Close())
	})
	return f
}

// look notes how long changes took that are in memory now.
func (f *follower) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, x := range f.pending {
		setups := f.Setups(x.env)
		i := slices.IndexFunc(setups, func(s monitor.Setup) bool { return s.ID == id })
		if i >= 0 && setups[i].EntityValue == x.value {
			f.took = append(f.took, time.Since(x.made))
			delete(f.pending, id)
		}
	}
}

// expect has the follower look for a change, from before it is made.
func (f *follower) expect(s *monitor.Setup) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending[s.ID] = awaited{env: s.EnvironmentID, value: s.EntityValue, made: time.Now()}
}

func (f *follower) waits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.pending)
}

// Many processes hear of every change, and what each reads grows with what changed,
// whatever there is. TOUCHSTONE_TEST_CACHES says how many processes there are; each then has
// twenty thousand setups, and hears of changes within a second: that is measured while
// nothing else runs.
func TestManyProcessesConverge(t *testing.T) {
	t.Parallel()
	processes, environments, each, measured := 10, 100, 20, false
	if n, err := strconv.Atoi(os.Getenv("TOUCHSTONE_TEST_CACHES")); err == nil {
		processes, environments, measured = n, 1000, true
	}
	const changes, every = 100, 100 * time.Millisecond
	server := postgrestest.Start(t, "-c", "max_connections=400", "-c", "fsync=off")
	dsn := server.Database(t)
	writer, err := sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: dsn})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, writer.Close()) })
	slugs := make([]string, environments)
	for i := range slugs {
		slugs[i] = fmt.Sprint("env-", i)
	}
	org, keys := storetest.NewOrganization("large", slugs...)
	require.NoError(t, writer.CreateOrganization(t.Context(), org, keys))
	setups := make([]monitor.Setup, 0, environments*each)
	for _, k := range keys {
		for n := range each {
			setups = append(setups, storetest.NewSetup(k.Environment, fmt.Sprint("quality-", n)))
		}
	}
	var making sync.WaitGroup
	errs := make(chan error, 8)
	for w := range cap(errs) {
		making.Go(func() {
			for i := w; i < len(setups); i += cap(errs) {
				if err := store.Setups(writer).Create(t.Context(), setups[i]); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		})
	}
	making.Wait()
	for range cap(errs) {
		require.NoError(t, <-errs)
	}

	begun := time.Now()
	followers := make([]*follower, processes)
	for i := range followers {
		followers[i] = follow(t, dsn)
	}
	t.Logf("%d processes read %d setups at their start in %s", processes, len(setups), time.Since(begun).Round(time.Millisecond))
	read := func() (documents, keys, numbers int64) {
		for _, f := range followers {
			documents, keys, numbers = documents+f.control.documents.Load(), keys+f.control.keys.Load(), numbers+f.control.changes.Load()
		}
		return documents, keys, numbers
	}
	documents, keysRead, numbers := read()
	require.GreaterOrEqual(t, documents, int64(processes*len(setups)))

	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := range changes {
		<-tick.C
		s := setups[n*len(setups)/changes]
		s.EntityValue = fmt.Sprint("changed ", n)
		for _, f := range followers {
			f.expect(&s)
		}
		_, err := store.Setups(writer).Replace(t.Context(), s)
		require.NoError(t, err)
	}
	var took []time.Duration
	for _, f := range followers {
		require.Eventually(t, func() bool { return f.waits() == 0 }, 5*time.Minute, time.Millisecond)
		took = append(took, f.took...)
	}
	slices.Sort(took)
	require.Len(t, took, changes*processes)
	at := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(100 * time.Microsecond) }
	documentsAfter, keysAfter, numbersAfter := read()
	t.Logf("a change is known after %s (p50), %s (p99), %s at most; %d changes cost a process %d rows of setups and %d of changes", at(50), at(99), at(100),
		changes, (documentsAfter-documents)/int64(processes), (numbersAfter-numbers)/int64(processes))
	if measured {
		require.Less(t, at(99), time.Second)
	}
	require.LessOrEqual(t, documentsAfter-documents, int64(processes*changes*2), "what is read grows with the change")
	require.LessOrEqual(t, numbersAfter-numbers, int64(processes*changes*2))
	require.Equal(t, keysRead, keysAfter)
}
