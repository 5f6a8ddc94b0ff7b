// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func racingBackfills(t *testing.T, c *control) {
	const writers, steps = 8, 5
	s := c.setup(t, c.environment(t, "acme"), "quality")
	c.backfill(t, s, "one")
	errs := make(chan error, writers)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < steps; {
				now, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, "one")
				if err == nil {
					now.Seen++
					_, err = store.Backfills(c).Replace(t.Context(), now)
				}
				switch {
				case err == nil:
					done++
				case !fault.Is(err, fault.Conflict):
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(t, <-errs)
	got, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, "one")
	require.NoError(t, err)
	require.Equal(t, int64(writers*steps), got.Seen)
	require.Equal(t, int64(1+writers*steps), got.Revision)
}

func backfillsOfUnusualText(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	var s monitor.Setup
	texts := unusualTexts()
	want := make([]monitor.Backfill, 0, len(texts))
	for i, text := range texts {
		if i%store.MaxOpenBackfills == 0 {
			s = c.setup(t, env, fmt.Sprint("quality ", i))
		}
		b := storetest.NewBackfill(s, text)
		b.Status, b.Position, b.ErrorMessage = monitor.BackfillStatus(text), text, text
		require.NoError(t, store.Backfills(c).Create(t.Context(), b), "%q", text)
		want = append(want, b)
	}
	c.reopen(t)
	list, err := store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	require.Equal(t, want, list)
	for _, b := range want {
		got, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, b.ID)
		require.NoError(t, err, "%q", b.ID)
		require.Equal(t, b, got)
	}
}

// backfillCalls calls the whole role, so that all refusals can be looked at.
func backfillCalls(ctx context.Context, c store.Control, b monitor.Backfill) []error {
	late := b
	late.ID = "late"
	_, one := store.Backfills(c).Get(ctx, b.EnvironmentID, b.ID)
	_, list := store.Backfills(c).Filter(ctx, store.DocumentFilter{Environment: b.EnvironmentID, Parent: b.SetupID})
	_, open := store.Backfills(c).Filter(ctx, store.DocumentFilter{Open: true})
	_, replace := store.Backfills(c).Replace(ctx, b)
	return []error{store.Backfills(c).Create(ctx, late), one, list, open, replace}
}

func backfillsSurviveReopening(t *testing.T, c *control) {
	s := c.setup(t, c.environment(t, "acme"), "quality")
	b := c.backfill(t, s, "one")
	b.Status, b.Position, b.Seen = monitor.BackfillRunning, "here", 7
	stored, err := store.Backfills(c).Replace(t.Context(), b)
	require.NoError(t, err)
	for range 2 {
		c.reopen(t)
		got, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, "one")
		require.NoError(t, err)
		require.Equal(t, stored, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range backfillCalls(ctx, c, stored) {
		requireKind(t, fault.Unavailable, err)
	}
	require.Equal(t, []string{"one"}, c.openBackfills(t))
	require.NoError(t, c.Close())
	for _, err := range backfillCalls(t.Context(), c, stored) {
		requireKind(t, fault.Unavailable, err)
	}
}

// boundsHoldInARace: many create at once, and no more than are allowed succeed.
func boundsHoldInARace(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s := c.setup(t, env, "quality")
	for i := range store.MaxEvaluators - 2 {
		c.evaluator(t, env, fmt.Sprint("there ", i))
	}
	const racers = 8
	var evaluators, backfills, wrong atomic.Int64
	count := func(n *atomic.Int64, kind fault.Kind, err error) {
		switch fault.KindOf(err) {
		case "":
			n.Add(1)
		case kind:
		default:
			wrong.Add(1)
		}
	}
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			e := storetest.NewEvaluator(env, fmt.Sprint("new ", i))
			count(&evaluators, fault.Invalid, store.Evaluators(c).Create(t.Context(), e))
			count(&backfills, fault.Conflict, store.Backfills(c).Create(t.Context(), storetest.NewBackfill(s, fmt.Sprint(i))))
		})
	}
	wg.Wait()
	require.EqualValues(t, 2, evaluators.Load())
	require.EqualValues(t, store.MaxOpenBackfills, backfills.Load())
	require.Zero(t, wrong.Load())
}
