// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestFewMayWaitAtOnce(t *testing.T) {
	t.Parallel()
	var all tails
	var leave func()
	for range mostTailsEnvironment {
		var err error
		leave, err = all.enter("one")
		require.NoError(t, err)
	}
	_, err := all.enter("one")
	require.Equal(t, fault.Limited, fault.KindOf(err))
	_, err = all.enter("other")
	require.NoError(t, err, "of which others feel nothing")
	leave()
	_, err = all.enter("one")
	require.NoError(t, err)
}

// idle is a store in which nothing ever arrives.
type idle struct{ Records }

func (idle) Search(context.Context, tenant.Environment, query.Query) (query.Page, error) {
	return query.Page{}, nil
}
func (idle) Stored(tenant.EnvironmentID) (int64, bool) { return 7, true }

// A wait ends when the API stops and when the caller goes.
func TestWaitsEnd(t *testing.T) {
	t.Parallel()
	at := query.Position{Number: time.Now().UnixNano()}
	for _, end := range []func(stop chan struct{}, leave func()){
		func(stop chan struct{}, _ func()) { close(stop) },
		func(_ chan struct{}, leave func()) { leave() },
	} {
		stop := make(chan struct{})
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		a := &API{Records: idle{}, Stopping: stop}
		ended := make(chan SpanTail)
		nothing := func(time.Time) (looked, error) { return looked{}, nil }
		go func() {
			answer, _ := a.await(ctx, tenant.Environment{}, at, time.Hour, nothing)
			ended <- answer
		}()
		end(stop, leave)
		require.Empty(t, (<-ended).Rows)
	}
}

// Those who want the same at the same time share a look, and what it found for a
// while; where the one who looks goes away, another looks.
func TestLooksAreShared(t *testing.T) {
	t.Parallel()
	a := &API{}
	const key = recentKey("same")
	found := looked{SpanTail: SpanTail{Rows: []SpanRow{{}}, Next: "next"}}
	began, goOn := make(chan struct{}), make(chan struct{})
	first, leave := context.WithCancel(t.Context())
	ended, shared := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := a.shared(first, key, func() (looked, error) {
			close(began)
			<-goOn
			return looked{}, fault.New(fault.Internal, "it was cancelled")
		})
		ended <- err
	}()
	<-began
	looks := 0
	go func() {
		l, err := a.shared(t.Context(), key, func() (looked, error) {
			looks++
			return found, nil
		})
		if err == nil && l.Next != "next" {
			err = fault.New(fault.Internal, "it has nothing")
		}
		shared <- err
	}()
	leave()
	close(goOn)
	require.Error(t, <-ended)
	require.NoError(t, <-shared)
	require.Equal(t, 1, looks)

	for range 3 {
		l, err := a.shared(t.Context(), "another", func() (looked, error) {
			looks++
			return found, nil
		})
		require.NoError(t, err)
		require.Equal(t, "next", l.Next)
	}
	require.Equal(t, 2, looks, "what was found is kept")
	now := time.Now()
	for i := range 2 * keptPages {
		a.recent.put(recentKey(fmt.Sprint(i)), found.SpanTail, now)
	}
	require.Equal(t, keptPages, a.recent.pages().Len())
	_, there := a.recent.get("63", now.Add(keptFor))
	require.False(t, there, "not for long")
	a.recent.put("late", found.SpanTail, now.Add(keptFor))
	require.Equal(t, 1, a.recent.pages().Len(), "what is old goes")
}
