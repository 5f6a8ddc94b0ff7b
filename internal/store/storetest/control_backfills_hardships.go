// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
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
				now, err := c.Backfill(t.Context(), s.EnvironmentID, s.ID, "one")
				if err == nil {
					now.Seen++
					_, err = c.ReplaceBackfill(t.Context(), now)
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
	got, err := c.Backfill(t.Context(), s.EnvironmentID, s.ID, "one")
	require.NoError(t, err)
	require.Equal(t, int64(writers*steps), got.Seen)
	require.Equal(t, int64(1+writers*steps), got.Revision)
}

func backfillsOfUnusualText(t *testing.T, c *control) {
	s := c.setup(t, c.environment(t, "acme"), "quality")
	texts := unusualTexts()
	want := make([]monitor.Backfill, 0, len(texts))
	for _, text := range texts {
		b := NewBackfill(s, text)
		b.Status, b.Position, b.ErrorMessage = monitor.BackfillStatus(text), text, text
		require.NoError(t, c.CreateBackfill(t.Context(), b), "%q", text)
		want = append(want, b)
	}
	c.reopen(t)
	list, err := c.OpenBackfills(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, list)
	for _, b := range want {
		got, err := c.Backfill(t.Context(), s.EnvironmentID, s.ID, b.ID)
		require.NoError(t, err, "%q", b.ID)
		require.Equal(t, b, got)
	}
}

// backfillCalls calls the whole role, so that all refusals can be looked at.
func backfillCalls(ctx context.Context, c store.Control, b monitor.Backfill) []error {
	late := b
	late.ID = "late"
	_, one := c.Backfill(ctx, b.EnvironmentID, b.SetupID, b.ID)
	_, list := c.ListBackfills(ctx, b.EnvironmentID, b.SetupID)
	_, open := c.OpenBackfills(ctx)
	_, replace := c.ReplaceBackfill(ctx, b)
	return []error{c.CreateBackfill(ctx, late), one, list, open, replace}
}

func backfillsSurviveReopening(t *testing.T, c *control) {
	s := c.setup(t, c.environment(t, "acme"), "quality")
	b := c.backfill(t, s, "one")
	b.Status, b.Position, b.Seen = monitor.BackfillRunning, "here", 7
	stored, err := c.ReplaceBackfill(t.Context(), b)
	require.NoError(t, err)
	for range 2 {
		c.reopen(t)
		got, err := c.Backfill(t.Context(), s.EnvironmentID, s.ID, "one")
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
