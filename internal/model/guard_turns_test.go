// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// An environment that asks little does not stand in line behind all that another asks.
func TestEnvironmentsTakeTurnsAtAServer(t *testing.T) {
	t.Parallel()
	g := NewGuard("judge", Limits{Concurrency: 1, MaxWait: time.Minute}, nil, nil)
	asked, gate := make(chan tenant.EnvironmentID), make(chan struct{})
	var all sync.WaitGroup
	ask := func(env tenant.EnvironmentID, waiting int64) {
		all.Go(func() {
			_, _, err := send(tenant.WithEnvironment(t.Context(), env), g, KindJudge, 0, func(context.Context) (string, eval.Usage, error) {
				asked <- env
				<-gate
				return "", eval.Usage{}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		require.Eventually(t, func() bool { return g.turns.Waiting() == waiting }, time.Minute, time.Millisecond)
	}
	ask("many", 0)
	require.Equal(t, tenant.EnvironmentID("many"), <-asked)
	for i := range int64(5) {
		ask("many", i+1)
	}
	ask("few", 6)
	gate <- struct{}{}
	require.Equal(t, tenant.EnvironmentID("few"), <-asked, "it came last")
	for range 5 {
		gate <- struct{}{}
		require.Equal(t, tenant.EnvironmentID("many"), <-asked)
	}
	gate <- struct{}{}
	all.Wait()
}

// One of four turns is kept for an environment that asked lately: it does not wait until an
// answer comes of all that another asks.
func TestOneTurnAtAServerIsKept(t *testing.T) {
	t.Parallel()
	g := NewGuard("judge", Limits{Concurrency: 4, MaxWait: time.Minute}, nil, nil)
	asked, gate := make(chan tenant.EnvironmentID), make(chan struct{})
	var all sync.WaitGroup
	ask := func(env tenant.EnvironmentID) {
		all.Go(func() {
			_, _, err := send(tenant.WithEnvironment(t.Context(), env), g, KindJudge, 0, func(context.Context) (string, eval.Usage, error) {
				asked <- env
				<-gate
				return "", eval.Usage{}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	ask("few")
	require.Equal(t, tenant.EnvironmentID("few"), <-asked)
	gate <- struct{}{}
	for range 6 {
		ask("many")
	}
	for range 3 {
		require.Equal(t, tenant.EnvironmentID("many"), <-asked)
	}
	require.Eventually(t, func() bool { return g.turns.Waiting() == 3 }, time.Minute, time.Millisecond)
	ask("few")
	require.Equal(t, tenant.EnvironmentID("few"), <-asked, "nobody has been answered")
	gate <- struct{}{}
	for range 3 {
		gate <- struct{}{}
		require.Equal(t, tenant.EnvironmentID("many"), <-asked)
	}
	for range 3 {
		gate <- struct{}{}
	}
	all.Wait()
}
