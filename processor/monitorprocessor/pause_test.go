// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
)

// pause pauses or resumes a setup, as its user does.
func pause(t *testing.T, c *cache.Cache, name string, paused bool) {
	t.Helper()
	require.Eventually(t, func() bool { // its status moves meanwhile
		s, err := store.Setups(c).Get(t.Context(), env, name)
		require.NoError(t, err)
		_, err = store.Setups(c).Replace(t.Context(), s.Pausing(time.Now(), paused))
		return err == nil
	}, patience, time.Millisecond)
}

func TestPausedSetupsMatchNothing(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "paused", []string{"char-count"}, exists("gen_ai.system"))
	createSetup(t, live, "other", []string{"word-count"}, exists("gen_ai.system"))
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
	slugs := func() (names []string) {
		for _, e := range judged(t, p, stamped(1))[0] {
			names = append(names, e.Evaluator)
		}
		return names
	}
	require.ElementsMatch(t, []string{"char-count", "word-count"}, slugs())
	pause(t, live, "paused", true)
	require.Equal(t, []string{"word-count"}, slugs())
	pause(t, live, "paused", false)
	require.ElementsMatch(t, []string{"char-count", "word-count"}, slugs(), "from then on")

	// One that has matched nothing is not called dead for it.
	idle := createSetup(t, live, "idle", []string{"char-count"}, exists("absent"))
	isWatched := func(want bool) {
		require.Eventually(t, func() bool {
			p.reconciler.mu.Lock()
			defer p.reconciler.mu.Unlock()
			_, is := p.reconciler.watching[idle.ID]
			return is == want
		}, patience, time.Millisecond)
	}
	isWatched(true)
	pause(t, live, "idle", true)
	isWatched(false)
	_, err := p.processTraces(t.Context(), stamped(monitor.DeadAfter+1))
	require.NoError(t, err)
	require.Zero(t, deadSetups(t, tel))
}

// What was asked for before a pause, or apart from what comes, is judged.
func TestPausedSetupsJudgeWhatIsOwed(t *testing.T) {
	t.Parallel()
	for _, backfill := range []bool{false, true} {
		p, _ := startProcessor(t, newLive(t), evaluators.Catalog(), defaults())
		o := newOwed(monitor.SetupEvaluator{Slug: "char-count"})
		o.setups[0] = o.setups[0].Pausing(time.Now(), true)
		o.backfill = backfill
		if backfill {
			o.add(nil)
		} else {
			o.add(nil, deferredBy("char-count"))
		}
		o.pass(t, p)
		made := o.of(0)
		require.Len(t, made, 1)
		require.Equal(t, eval.Done, made[0].Status)
	}
}
