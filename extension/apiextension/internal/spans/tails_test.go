// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
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
		ended := make(chan query.Page)
		go func() {
			page, _ := a.await(ctx, tenant.Environment{}, query.Query{}, at, time.Hour)
			ended <- page
		}()
		end(stop, leave)
		require.Empty(t, (<-ended).Spans)
	}
}
