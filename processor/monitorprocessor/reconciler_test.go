// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// patience is how long is waited for what comes by itself, on a machine that has much
// else to do.
const patience = time.Minute

func await(t *testing.T, live *cache.Cache, name string, want monitor.Status) (s monitor.Setup) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		s, err = store.Setups(live).Get(t.Context(), env, name)
		require.NoError(t, err)
		return s.Status == want
	}, patience, time.Millisecond, "%s never became %s", name, want)
	return s
}

// lonelyKeeper is a reconciler that is not started.
func lonelyKeeper(t *testing.T, live *cache.Cache, catalog *eval.Catalog) *reconciler {
	l := newLoader(func() {})
	t.Cleanup(l.stop)
	return newReconciler(live, newResolver(catalog, nil, store.Evaluators(live)), l, &census{}, zap.NewNop())
}

func TestStatusFollowsTheSpans(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	createSetup(t, live, "one", []string{"char-count"}, exists("gen_ai.system"))
	createSetup(t, live, "two", []string{"char-count"}, exists("absent"))
	await(t, live, "one", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	done := await(t, live, "one", monitor.Completed)
	require.Equal(t, monitor.Completed, done.Evaluators[0].Status)
	require.False(t, done.Evaluators[0].ProcessedAt.IsZero())
	await(t, live, "two", monitor.WaitingForSpans)
}

// A span that matches before the reconciler got to the setup counts.
func TestMatchDuringPendingIsNotLost(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		createSetup(t, live, name, []string{"char-count"})
		td, err := p.processTraces(t.Context(), stamped(1))
		require.NoError(t, err)
		require.NotEmpty(t, monitor.Carried(spanAt(td, 0).Attributes()))
		await(t, live, name, monitor.Completed)
	}
}

func TestMatchOfAnEarlierWishDoesNotCount(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	s := createSetup(t, live, "one", []string{"char-count"})
	k := lonelyKeeper(t, live, evaluators.Catalog())
	k.matched(&s)
	s.Selector = monitor.Selector{exists("absent")}
	s.Generation++
	_, err := store.Setups(live).Replace(t.Context(), s)
	require.NoError(t, err)
	require.True(t, k.reconcile(t.Context(), false))
	got, err := store.Setups(live).Get(t.Context(), env, "one")
	require.NoError(t, err)
	require.Equal(t, monitor.WaitingForSpans, got.Status)
}

func TestSetupsWaitForAsManySpansAsTheyAskFor(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	s := createSetup(t, live, "one", []string{"char-count"})
	s.MinSpans = 3
	s.Generation++
	_, err := store.Setups(live).Replace(t.Context(), s)
	if fault.Is(err, fault.Conflict) { // its status moved on meanwhile
		s = await(t, live, "one", monitor.WaitingForSpans)
		s.MinSpans = 3
		_, err = store.Setups(live).Replace(t.Context(), s)
	}
	require.NoError(t, err)
	await(t, live, "one", monitor.WaitingForSpans)
	for range 2 {
		td, err := p.processTraces(t.Context(), stamped(1))
		require.NoError(t, err)
		require.NotEmpty(t, monitor.Carried(spanAt(td, 0).Attributes()), "judged from the first one on")
	}
	require.True(t, p.reconciler.reconcile(t.Context(), false))
	got, err := store.Setups(live).Get(t.Context(), env, "one")
	require.NoError(t, err)
	require.Equal(t, monitor.WaitingForSpans, got.Status)
	_, err = p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	await(t, live, "one", monitor.Completed)
}

func TestEvaluatorsOfAnotherVersionFail(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "some", []string{"char-count", "gone-by"})
	createSetup(t, live, "all", []string{"gone-by"})
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	failed := await(t, live, "all", monitor.FailedStatus)
	require.Contains(t, failed.Evaluators[0].ErrorMessage, "gone-by")
	await(t, live, "some", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	await(t, live, "some", monitor.Partial)
}

// Keepers of several processes race; each step is taken once.
func TestRacingKeepers(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	for range 4 {
		startProcessor(t, live, evaluators.Catalog(), defaults())
	}
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	createSetup(t, live, "one", []string{"char-count"})
	await(t, live, "one", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	done := await(t, live, "one", monitor.Completed)
	require.EqualValues(t, 4, done.Revision, "pending, in_progress, waiting_for_spans, completed")
}

func TestHitsOfDeletedSetupsAreForgotten(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	s := createSetup(t, live, "one", []string{"char-count"})
	k := lonelyKeeper(t, live, &eval.Catalog{})
	k.matched(&s)
	require.NoError(t, store.Setups(live).Delete(t.Context(), env, "one"))
	require.True(t, k.reconcile(t.Context(), false))
	require.Empty(t, k.noted())
}

// lives opens one control store twice, as two processes do.
func lives(t *testing.T, create func(live *cache.Cache)) (both [2]*cache.Cache, control store.Control) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "control.db")
	for i := range both {
		opened, err := sqldb.Open(t.Context(), sqldb.Config{Path: path})
		require.NoError(t, err)
		t.Cleanup(func() { _ = opened.Close() })
		both[i], err = cache.New(t.Context(), opened)
		require.NoError(t, err)
		control = opened
		if i == 0 {
			found(t, both[i])
			create(both[i])
		}
	}
	return both, control
}

// away is a control store that takes no documents while it is away.
type away struct {
	store.Control
	is   atomic.Bool
	asks int
}

func (a *away) Put(ctx context.Context, d store.Document) (store.Document, error) {
	a.asks++
	if a.is.Load() {
		return store.Document{}, fault.New(fault.Unavailable, "away")
	}
	return a.Control.Put(ctx, d)
}

// While the control store is away a round does not ask it about each of many setups, and
// the log says so once. When it is back each setup goes on.
func TestAnOutageOfTheControlStoreIsToldOnce(t *testing.T) {
	t.Parallel()
	opened, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	control := &away{Control: opened}
	live, err := cache.New(t.Context(), control)
	require.NoError(t, err)
	found(t, live)
	const setups, rounds = 20, 5
	for n := range setups {
		createSetup(t, live, strconv.Itoa(n), []string{"char-count"})
	}
	k := lonelyKeeper(t, live, evaluators.Catalog())
	core, logs := observer.New(zap.InfoLevel)
	k.log = zap.New(core)
	outage := func() {
		control.is.Store(true)
		control.asks = 0
		for range rounds {
			require.False(t, k.reconcile(t.Context(), true))
		}
		require.Equal(t, rounds*mostRefused, control.asks)
		control.is.Store(false)
		require.True(t, k.reconcile(t.Context(), true))
	}
	outage()
	require.Equal(t, 1, logs.FilterMessage("setup status could not be moved").Len())
	require.Equal(t, 1, logs.FilterMessage("the status of setups is moved again").Len())
	for s := range live.All() {
		require.Equal(t, monitor.WaitingForSpans, s.Status)
		k.matched(s)
	}
	outage()
	require.Equal(t, 2, logs.FilterMessage("setup status could not be moved").Len(), "another one")
	for s := range live.All() {
		require.Equal(t, monitor.Completed, s.Status)
	}
}

// Two processes race for one setup; one of them takes each step.
func TestTwoProcessesRaceOnOneStore(t *testing.T) {
	t.Parallel()
	var s monitor.Setup
	both, control := lives(t, func(live *cache.Cache) { s = createSetup(t, live, "one", []string{"char-count", "gone-by"}) })
	var racing sync.WaitGroup
	for _, live := range both {
		k := lonelyKeeper(t, live, evaluators.Catalog())
		k.matched(&s)
		racing.Go(func() { k.reconcile(context.Background(), false) })
	}
	racing.Wait()
	stored, err := store.Setups(control).Get(t.Context(), env, "one")
	require.NoError(t, err)
	require.Equal(t, monitor.Partial, stored.Status)
	require.EqualValues(t, 4, stored.Revision, "pending, in_progress, waiting_for_spans, partial")
}

// without is a control store that lost an evaluator, as former releases let go of those
// that setups had.
type without struct {
	store.Control

	id string
}

func (w *without) List(ctx context.Context, f store.DocumentFilter) ([]store.Document, error) {
	list, err := w.Control.List(ctx, f)
	lost := func(d store.Document) bool { return d.Kind == store.EvaluatorKind && d.ID == w.id }
	return slices.DeleteFunc(list, lost), err
}

func TestCustomEvaluatorsAreChecked(t *testing.T) {
	t.Parallel()
	control := &without{Control: openControl(t)}
	live, err := cache.New(t.Context(), control)
	require.NoError(t, err)
	found(t, live)
	fine, unmapped := qualityJudge(), qualityJudge()
	unmapped.ID, unmapped.Slug, unmapped.VersionID, unmapped.Input[0].Name = "custom-2", "unmapped", "v2", "tier"
	for _, c := range []eval.CustomEvaluator{fine, unmapped} {
		require.NoError(t, store.Evaluators(live).Create(t.Context(), c))
	}
	mapped := evaluatorFor(unmapped)
	mapped.Inputs = map[string]monitor.InputSource{"tier": {Source: monitor.SpanAttributes, Key: "tier"}}
	want(t, live, "custom", evaluatorFor(fine), evaluatorFor(unmapped), monitor.SetupEvaluator{Slug: "gone", CustomID: "custom-3"})
	want(t, live, "mapped", mapped)
	control.id = "custom-3"
	models, _ := scripted(t)
	startWith(t, live, models, defaults())
	s := await(t, live, "custom", monitor.WaitingForSpans)
	require.Equal(t, monitor.WaitingForSpans, s.Evaluators[0].Status)
	require.Contains(t, s.Evaluators[1].ErrorMessage, "needs the input tier")
	require.Contains(t, s.Evaluators[2].ErrorMessage, "gone does not exist any more")
	await(t, live, "mapped", monitor.WaitingForSpans)
}

// A judge is configured and the process restarted: what failed for want of
// one goes on, and what failed for other reasons stays.
func TestFailedEvaluatorsAreLookedAtAgainAtStart(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	c := qualityJudge()
	require.NoError(t, store.Evaluators(live).Create(t.Context(), c))
	want(t, live, "judged", evaluatorFor(c), monitor.SetupEvaluator{Slug: "action-advancement"}, monitor.SetupEvaluator{Slug: "gone-by"})
	want(t, live, "partial", monitor.SetupEvaluator{Slug: "char-count"}, monitor.SetupEvaluator{Slug: "action-advancement"})
	p, _ := startWith(t, live, nil, defaults())
	await(t, live, "judged", monitor.FailedStatus)
	await(t, live, "partial", monitor.WaitingForSpans)
	judged(t, p, stamped(1))
	partial := await(t, live, "partial", monitor.Partial)
	require.NoError(t, p.shutdown(t.Context()))

	startWith(t, live, nil, defaults()) // one that still lacks it
	models, _ := scripted(t)
	p, _ = startWith(t, live, models, defaults())
	s := await(t, live, "judged", monitor.WaitingForSpans)
	require.Empty(t, s.Evaluators[1].ErrorMessage)
	require.Equal(t, monitor.FailedStatus, s.Evaluators[2].Status)
	mended := await(t, live, "partial", monitor.WaitingForSpans)
	require.Equal(t, monitor.Completed, mended.Evaluators[0].Status)
	require.Equal(t, partial.Evaluators[0].ProcessedAt, mended.Evaluators[0].ProcessedAt)
	judged(t, p, stamped(1))
	await(t, live, "judged", monitor.Partial)
	done := await(t, live, "partial", monitor.Completed)
	require.Equal(t, partial.Generation, done.Generation)
}
