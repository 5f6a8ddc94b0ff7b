// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// setupOf returns a setup of evaluators that users defined, which is not stored.
func setupOf(env tenant.Environment, externalID string, list ...eval.CustomEvaluator) monitor.Setup {
	s := storetest.NewSetup(env, externalID)
	for _, e := range list {
		s.Evaluators = append(s.Evaluators, monitor.SetupEvaluator{Slug: e.Slug, CustomID: e.ID, Status: monitor.Pending})
	}
	return s
}

// refer stores the evaluators that a setup refers to.
func (c *control) refer(t *testing.T, env tenant.Environment, s monitor.Setup) {
	t.Helper()
	for _, w := range s.Evaluators {
		if w.CustomID != "" {
			e := storetest.NewEvaluator(env, w.Slug)
			e.ID = w.CustomID
			require.NoError(t, store.Evaluators(c).Create(t.Context(), e))
		}
	}
}

func setupsNeedTheirEvaluators(t *testing.T, c *control) {
	env, other := c.environment(t, "acme"), c.environment(t, "other")
	own, another, foreign := c.evaluator(t, env, "own"), c.evaluator(t, env, "another"), c.evaluator(t, other, "foreign")
	setups, evaluators := store.Setups(c), store.Evaluators(c)
	for _, missing := range []eval.CustomEvaluator{foreign, {ID: "nobody", Slug: "nobody"}, {ID: "nul\x00", Slug: "odd"}} {
		err := setups.Create(t.Context(), setupOf(env, "m", own, missing))
		requireKind(t, fault.Invalid, err)
		require.EqualError(t, err, "evaluators[2]: unknown evaluator slug "+strconv.Quote(missing.Slug))
	}
	require.NoError(t, setups.Create(t.Context(), setupOf(env, "m", own)))
	s, err := setups.Get(t.Context(), env.ID, "m")
	require.NoError(t, err)

	err = evaluators.Delete(t.Context(), env.ID, "own")
	requireKind(t, fault.Conflict, err)
	require.EqualError(t, err, `the auto monitor setup "m" has the evaluator: take it out first`)
	require.NoError(t, evaluators.Delete(t.Context(), env.ID, "another"), "no setup has it")

	more := s
	more.Evaluators = setupOf(env, "m", own, another).Evaluators
	_, err = setups.Replace(t.Context(), more)
	requireKind(t, fault.Invalid, err)
	require.EqualError(t, err, `evaluators[2]: unknown evaluator slug "another"`)
	s.Status = monitor.Completed
	s, err = setups.Replace(t.Context(), s)
	require.NoError(t, err)
	s.Evaluators = s.Evaluators[:1]
	_, err = setups.Replace(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, evaluators.Delete(t.Context(), env.ID, "own"), "no setup has it any more")
	require.Equal(t, []string{"foreign"}, c.slugs(t, other))
}

// Of a setup that takes an evaluator and a deletion of it in the same moment one is refused.
func racingReferences(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	setups, evaluators := store.Setups(c), store.Evaluators(c)
	for i := range 20 {
		slug := "e" + strconv.Itoa(i)
		e := c.evaluator(t, env, slug)
		name := "m" + strconv.Itoa(i)
		changes := i%2 == 1
		if changes {
			require.NoError(t, setups.Create(t.Context(), setupOf(env, name)))
		}
		var taken, deleted error
		start := make(chan struct{})
		var both sync.WaitGroup
		both.Go(func() {
			<-start
			if changes {
				_, taken = setups.Replace(t.Context(), setupOf(env, name, e))
			} else {
				taken = setups.Create(t.Context(), setupOf(env, name, e))
			}
		})
		both.Go(func() {
			<-start
			deleted = evaluators.Delete(t.Context(), env.ID, slug)
		})
		close(start)
		both.Wait()
		require.NotEqual(t, taken == nil, deleted == nil, "%v, %v", taken, deleted)
		if taken != nil {
			requireKind(t, fault.Invalid, taken)
		} else {
			requireKind(t, fault.Conflict, deleted)
		}
	}
}
