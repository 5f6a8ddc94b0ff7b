// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestExecutionsAtOnceAreBoundedInNumberAndBytes(t *testing.T) {
	t.Parallel()
	var a atOnce
	var leaves []func()
	enter := func(env tenant.EnvironmentID, bytes int) error {
		leave, err := a.enter(env, bytes)
		if err == nil {
			leaves = append(leaves, leave)
		}
		return err
	}
	require.NoError(t, enter("large", waitedForBytes+1), "one alone may have more")
	require.True(t, fault.Is(enter("large", 1), fault.Limited))
	require.NoError(t, enter("other", waitedForBytes))
	err := enter("third", waitedForByAll-2*waitedForBytes)
	require.True(t, fault.Is(err, fault.Unavailable))
	require.EqualError(t, err, "too many executions are under way; try again later")
	for range waitedFor {
		require.NoError(t, enter("third", 10))
	}
	require.ErrorContains(t, enter("third", 0), "has 64 executions under way")
	for _, leave := range leaves {
		leave()
	}
	all, environments := a.held.All()
	require.Zero(t, all.Bytes)
	require.Zero(t, environments)
}

// freely is money without a limit.
type freely struct{}

func (freely) MaySpend(context.Context, tenant.Environment) error { return nil }
func (freely) Spent(tenant.EnvironmentID, float64)                {}

// What a request brings is what its execution is counted with, and counted off when it is over.
func TestExecutionsAreCountedWithTheirInputs(t *testing.T) {
	t.Parallel()
	a := &ExecutionsAPI{Evaluators: registry.New(evaluators.Catalog(), nil, nil), Money: freely{}}
	h := resttest.Handler(resttest.Server(t, tenant.Environment{ID: "acme"}), a.Routes())
	leave, err := a.atOnce.enter("acme", waitedForBytes-1000)
	require.NoError(t, err)
	execute := func(n int) int {
		return resttest.Call(t, h, "POST", "/v2/evaluators/char-count/execute", `{"input":{"text":"`+strings.Repeat("a", n)+`"}}`).Code
	}
	require.Equal(t, 200, execute(900))
	require.Equal(t, 429, execute(1100))
	leave()
	require.Equal(t, 200, execute(1100))
	require.Eventually(t, func() bool {
		_, environments := a.atOnce.held.All()
		return environments == 0
	}, time.Minute, time.Millisecond)
}

// What is little does not wait for what computes long, and what is too much is refused
// before anybody decodes it.
func TestMuchIsComputedInTurns(t *testing.T) {
	t.Parallel()
	a := &ExecutionsAPI{Evaluators: registry.New(evaluators.Catalog(), nil, nil), Money: freely{}}
	h := resttest.Handler(resttest.Server(t, tenant.Environment{ID: "acme"}), a.Routes())
	execute := func(n int) int {
		return resttest.Call(t, h, "POST", "/v2/evaluators/char-count/execute", `{"input":{"text":"`+strings.Repeat("a", n)+`"}}`).Code
	}
	var ends []func()
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		end, err := a.atOnce.turn(t.Context(), "other", fewBytes+1)
		require.NoError(t, err)
		ends = append(ends, end)
	}
	large := make(chan int)
	go func() { large <- execute(fewBytes) }()
	require.Eventually(t, func() bool { return a.atOnce.turns.Waiting() == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, 200, execute(fewBytes-100))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.atOnce.turn(gone, "third", fewBytes+1)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	ends[0]()
	ends[0]()
	require.Equal(t, 200, <-large)
	for _, end := range ends[1:] {
		end()
	}

	leave, err := a.atOnce.enter("acme", waitedForBytes)
	require.NoError(t, err)
	require.Equal(t, 429, resttest.Call(t, h, "POST", "/v2/evaluators/char-count/execute", "{").Code)
	leave()
	require.Equal(t, 400, resttest.Call(t, h, "POST", "/v2/evaluators/char-count/execute", "{").Code)
}
