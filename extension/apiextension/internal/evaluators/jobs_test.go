// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// held is an evaluator that judges once the gate is closed.
func held(gate <-chan struct{}) runEvaluator {
	return func(ctx context.Context, _, _ json.RawMessage) (eval.Result, error) {
		select {
		case <-gate:
			return eval.Result{Backend: eval.Judge}, nil
		case <-ctx.Done():
			return eval.Result{}, fmt.Errorf("ask: %w", ctx.Err())
		}
	}
}

func begin(t *testing.T, e *Jobs, env string, input string, run runEvaluator) *execution {
	t.Helper()
	x, err := e.start(t.Context(), tenant.EnvironmentID(env), json.RawMessage(input), nil, run)
	require.NoError(t, err)
	return x
}

func open() <-chan struct{} {
	gate := make(chan struct{})
	close(gate)
	return gate
}

func TestExecutionGoesOnWithoutItsCaller(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	defer e.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	gate := make(chan struct{})
	x, err := e.start(ctx, "acme", nil, nil, held(gate))
	require.NoError(t, err)
	cancel()
	close(gate)
	<-x.done
	require.NoError(t, x.err)
	require.Equal(t, eval.Judge, x.result.Backend)
}

func TestExecutionsOfAnEnvironmentTakeTurns(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	defer e.Stop()
	gate, entered := make(chan struct{}), make(chan struct{}, 100)
	run := func(ctx context.Context, input, config json.RawMessage) (eval.Result, error) {
		entered <- struct{}{}
		return held(gate)(ctx, input, config)
	}
	var all []*execution
	for range executionsAtOnce * 3 {
		all = append(all, begin(t, e, "acme", "", run))
	}
	for range executionsAtOnce {
		<-entered
	}
	other := begin(t, e, "blue", "", held(open()))
	<-other.done // another environment does not wait for them
	require.Empty(t, entered)
	close(gate)
	for _, x := range all {
		<-x.done
		require.NoError(t, x.err)
	}
}

func TestExecutionsHaveATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := NewJobs(time.Minute, time.Now)
		var all []*execution
		for range executionsAtOnce * 2 { // those that wait for a turn as well
			all = append(all, begin(t, e, "acme", "", held(nil)))
		}
		for _, x := range all {
			<-x.done
			require.Equal(t, fault.Unavailable, fault.KindOf(x.err))
		}
		e.Stop()
	})
}

func TestExecutionsAreForgottenWithAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := NewJobs(time.Minute, time.Now)
		defer e.Stop()
		old := begin(t, e, "acme", "x", held(open()))
		<-old.done
		synctest.Wait()
		time.Sleep(executionsAge / 2)
		young := begin(t, e, "acme", "x", held(open()))
		<-young.done
		synctest.Wait()
		_, found := e.find("acme", old.id)
		require.True(t, found)
		time.Sleep(executionsAge / 2)
		_, found = e.find("acme", old.id)
		require.False(t, found)
		_, found = e.find("acme", young.id)
		require.True(t, found)
		time.Sleep(executionsAge)
		_, found = e.find("acme", young.id)
		require.False(t, found)
		require.Empty(t, e.owners)
		require.Empty(t, e.byID)
		require.Zero(t, e.bytes)
	})
}

func TestExecutionsAreBoundedInNumber(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	defer e.Stop()
	theirs := begin(t, e, "blue", "", held(open()))
	<-theirs.done
	gate := make(chan struct{})
	first := begin(t, e, "acme", "", held(open()))
	<-first.done
	for range executionsPerOwn - 1 {
		begin(t, e, "acme", "", held(gate))
	}
	begin(t, e, "acme", "", held(gate)) // in place of the first
	_, found := e.find("acme", first.id)
	require.False(t, found)
	_, err := e.start(t.Context(), "acme", nil, nil, held(gate))
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "none of them is done")
	_, found = e.find("blue", theirs.id)
	require.True(t, found, "another environment's is left alone")
	close(gate)
}

func TestExecutionsAreBoundedInMemory(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	defer e.Stop()
	gate := make(chan struct{})
	input := make(json.RawMessage, 4<<20)
	start := func(env tenant.EnvironmentID) error {
		_, err := e.start(t.Context(), env, input, nil, held(gate))
		return err
	}
	for env := range 4 {
		for range 4 {
			require.NoError(t, start(tenant.EnvironmentID(fmt.Sprint(env))))
		}
	}
	require.Equal(t, fault.Unavailable, fault.KindOf(start("0")), "the environment's own bound")
	require.Equal(t, fault.Unavailable, fault.KindOf(start("another")), "the bound of all")
	close(gate)
	e.running.Wait()
	require.NoError(t, start("0"))
	require.NoError(t, start("another"))
}

func TestExecutionsEndWithTheService(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	x := begin(t, e, "acme", "", held(nil))
	e.Stop()
	<-x.done
	require.Equal(t, fault.Unavailable, fault.KindOf(x.err))
	_, err := e.start(t.Context(), "acme", nil, nil, held(nil))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestExecutionSurvivesAPanic(t *testing.T) {
	t.Parallel()
	e := NewJobs(time.Minute, time.Now)
	defer e.Stop()
	x := begin(t, e, "acme", "", func(context.Context, json.RawMessage, json.RawMessage) (eval.Result, error) { panic("SESAME") })
	<-x.done
	require.Equal(t, fault.Internal, fault.KindOf(x.err))
	require.NotContains(t, x.err.Error(), "SESAME")
	x = begin(t, e, "acme", "", func(context.Context, json.RawMessage, json.RawMessage) (eval.Result, error) {
		return eval.Result{}, errors.New("broken")
	})
	<-x.done
	require.EqualError(t, x.err, "broken")
}
