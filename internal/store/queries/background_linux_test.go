// SPDX-License-Identifier: Apache-2.0

package queries_test

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// priorities is an engine that notes the priority of the thread it is asked on.
type priorities struct {
	*duckdb.DB
	raw   int
	fails bool
}

func (p *priorities) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.raw, _ = unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if p.fails {
		panic("a defect")
	}
	return p.DB.Search(ctx, env, q)
}

func TestExpensiveQueriesComeAfterAllElse(t *testing.T) {
	t.Parallel()
	e := &priorities{DB: openEngine(t)}
	s := queries.New(e, nil, queries.Limits{AtOnce: 1})
	_, err := s.Search(t.Context(), acme, page())
	require.NoError(t, err)
	usual := e.raw
	_, err = s.Search(t.Context(), acme, contains("a"))
	require.NoError(t, err)
	require.Equal(t, max(usual-10, 1), e.raw)
	_, err = s.Search(t.Context(), acme, page())
	require.NoError(t, err)
	require.Equal(t, usual, e.raw, "the thread is not used again")

	e.fails = true
	require.PanicsWithValue(t, "a defect", func() { _, _ = s.Search(t.Context(), acme, contains("a")) })
	e.fails = false
	_, err = s.Search(t.Context(), acme, contains("a"))
	require.NoError(t, err, "its place is free again")
}

// long is an engine whose queries take some time, which notes on which priority the last ran.
type long struct {
	queries.Engine
	takes time.Duration
	raw   int
	mu    sync.Mutex
}

func (l *long) Search(context.Context, tenant.Environment, query.Query) (query.Page, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	raw, _ := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	l.mu.Lock()
	l.raw = raw
	l.mu.Unlock()
	time.Sleep(l.takes)
	return query.Page{}, nil
}

// An environment that asks without a pause comes after all else, and as all others when it
// has stopped for a while. What it does changes nothing for another.
func TestWhoAsksMuchComesAfterAllElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &long{takes: 100 * time.Millisecond}
		s := queries.New(e, nil, queries.Limits{AtOnce: 2})
		priority := func(env tenant.Environment) int {
			_, err := s.Search(t.Context(), env, page())
			require.NoError(t, err)
			return e.raw
		}
		usual := priority(acme)
		for range 20 {
			require.Equal(t, usual, priority(acme), "two seconds in all")
		}
		for range 20 {
			priority(acme)
		}
		require.Equal(t, max(usual-10, 1), priority(acme))
		require.Equal(t, usual, priority(beta))
		time.Sleep(5 * time.Second)
		require.Equal(t, usual, priority(acme))
	})
}

// The main thread keeps its priority, which is shown as that of the process.
func TestTheMainThreadStaysAsItIs(t *testing.T) {
	t.Parallel()
	before, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Getpid())
	require.NoError(t, err)
	s := queries.New(&long{}, nil, queries.Limits{AtOnce: 64, ExpensiveAtOnce: 64})
	var all sync.WaitGroup
	for i := range 256 {
		all.Go(func() {
			env := tenant.Environment{ID: tenant.EnvironmentID(strconv.Itoa(i))}
			if _, err := s.Search(t.Context(), env, contains("a")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Getpid())
	require.NoError(t, err)
	require.Equal(t, before, after)
}
