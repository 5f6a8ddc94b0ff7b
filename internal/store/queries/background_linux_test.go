// SPDX-License-Identifier: Apache-2.0

package queries_test

import (
	"context"
	"runtime"
	"testing"

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
