// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// counted is a counter's value, of points with this reason unless that is "".
func (h *testbed) counted(name, reason string) (n int64) {
	h.t.Helper()
	got, err := h.telemetry.GetMetric(name)
	if err != nil {
		return 0
	}
	for _, p := range got.Data.(metricdata.Sum[int64]).DataPoints {
		if v, _ := p.Attributes.Value(attribute.Key("reason")); reason == "" || v.AsString() == reason {
			n += p.Value
		}
	}
	return n
}

func nothingIsToCome(t *testing.T) func(context.Context, ptrace.Traces) error {
	return func(_ context.Context, td ptrace.Traces) error {
		t.Errorf("spans %v were handed out", numbers(td))
		return nil
	}
}

func TestWhatNobodyWishesForAnyMoreIsSkipped(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	kept := h.setup("kept", nil, "toxicity-detector")
	gone := h.setup("gone", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(gone, "toxicity-detector"))
	h.write(h.newSpan(1), owedBy(kept, "tone-detection"))
	h.write(h.newSpan(2), owedBy(kept, "toxicity-detector"), owedBy(gone, "toxicity-detector"))
	require.NoError(t, store.Setups(h.live).Delete(t.Context(), h.env.ID, gone.ID))
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		require.Equal(t, []int{2}, numbers(td))
		return h.complete(ctx, td)
	})
	for n := range 2 {
		e := h.await(n, eval.Skipped)
		require.Equal(t, eval.ReasonDeleted, e.Reason)
		require.Zero(t, e.Due)
		require.WithinDuration(t, time.Now(), time.Unix(0, e.Time), time.Minute)
	}
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations == 0 }, patience, time.Millisecond)
	status := map[string]eval.Status{}
	for _, e := range h.evaluations(2) {
		status[e.SetupID] = e.Status
	}
	require.Equal(t, map[string]eval.Status{kept.ID: eval.Done, gone.ID: eval.Skipped}, status)
	require.EqualValues(t, 3, h.counted("touchstone_backlog_completed", "deleted"))
}

// Another process may make a setup, and owe evaluations, before this one has
// heard of it.
func TestSetupsOfOtherProcessesAreNotTakenForDeleted(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	known := h.setup("known", nil, "toxicity-detector")
	foreign := known
	foreign.ID, foreign.ExternalID = "foreign", "foreign"
	require.NoError(t, store.Setups(h.openControl()).Create(t.Context(), foreign))
	h.write(h.newSpan(0), owedBy(foreign, "toxicity-detector"))
	h.start(testConfig(), h.complete)
	h.await(0, eval.Done)
}

// An unknown environment is no reason to give something up.
func TestUnknownEnvironmentsAreLeftAlone(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	stranger := h.env
	stranger.ID = "stranger"
	x := h.newSpan(0)
	require.NoError(t, storetest.Write(t.Context(), h.real, []store.Record{{Environment: stranger, Span: x, Evaluations: []eval.Evaluation{owedBy(s, "toxicity-detector")}}}))
	h.write(h.newSpan(1), owedBy(s, "toxicity-detector"))
	stop := h.start(testConfig(), h.complete)
	h.await(1, eval.Done)
	stop() // what is done is off the backlog then
	list, err := h.real.Evaluations(t.Context(), []store.Location{{Environment: stranger.ID, Span: x.Key()}}, 0, store.Latest)
	require.NoError(t, err)
	require.Equal(t, eval.Deferred, list[0].Evaluations[0].Status)
	require.EqualValues(t, 1, h.real.stats(t).Leased)
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", func(s *monitor.Setup) { s.Deadline = time.Hour }, "toxicity-detector")
	for n, c := range []struct {
		age          time.Duration
		reason, want string
	}{
		{time.Hour, "judge default is away", "the deadline of 1h0m0s is over; last error: judge default is away"},
		{2 * time.Hour, eval.ReasonModel, "the deadline of 1h0m0s is over"},
		{25 * time.Hour, eval.ReasonCost, "the deadline of 1h0m0s is over; the money of the day was spent"},
	} {
		e := owedBy(s, "toxicity-detector")
		e.Time, e.Reason, e.Attempts = time.Now().Add(-c.age).UnixNano(), c.reason, 3
		h.write(h.newSpan(n), e)
		stop := h.start(testConfig(), nothingIsToCome(t))
		got := h.await(n, eval.Failed)
		require.Equal(t, c.want, got.Reason)
		require.Equal(t, 3, got.Attempts)
		require.WithinDuration(t, time.Now(), time.Unix(0, got.Time), time.Minute)
		stop()
	}
	young := owedBy(s, "toxicity-detector")
	young.Time = time.Now().Add(-50 * time.Minute).UnixNano()
	h.write(h.newSpan(9), young)
	h.start(testConfig(), h.complete)
	h.await(9, eval.Done)
	require.EqualValues(t, 3, h.counted("touchstone_backlog_completed", "deadline"))
}

func TestSpentMoneyWaitsForTheNextDay(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	poor := h.setup("poor", func(s *monitor.Setup) { s.MaxCostPerDay = 0.5 }, "toxicity-detector", "char-count")
	rich := h.setup("rich", func(s *monitor.Setup) { s.MaxCostPerDay = 0.6 }, "toxicity-detector")
	h.setup("free", nil, "toxicity-detector")
	// What was spent yesterday does not count.
	noon := time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour)
	var asked []string
	f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog}
	f.reserve = func(_ context.Context, b store.Budget, of store.Location, evaluator string) (store.Reserved, error) {
		require.Equal(t, h.env.ID, b.Environment)
		require.Equal(t, h.env.ID, of.Environment)
		require.Equal(t, "toxicity-detector", evaluator)
		require.Equal(t, noon.Add(-12*time.Hour), b.Since)
		asked = append(asked, b.Setup)
		if b.Limit > 0.5 {
			return store.Granted, nil
		}
		return store.Spent, nil
	}
	h.spans, h.backlog = f, f
	short := owedBy(poor, "char-count")
	short.Reason = eval.ReasonOverBudget
	first, second := owedBy(poor, "toxicity-detector"), owedBy(poor, "toxicity-detector")
	h.write(h.newSpan(0), first)
	h.write(h.newSpan(1), second)
	h.write(h.newSpan(2), owedBy(rich, "toxicity-detector"))
	h.write(h.newSpan(3), short)

	owed, err := h.real.Lease(t.Context(), time.Now(), time.Now().Add(time.Minute), 10)
	require.NoError(t, err)
	r := h.newReceiver(testConfig(), h.complete)
	r.spans, r.backlog, r.live = f, f, h.live
	items, err := newTriage(r, noon).run(t.Context(), owed)
	require.NoError(t, err)
	require.Equal(t, []string{poor.ID, poor.ID, rich.ID}, asked, "once for each evaluation that takes money")
	require.Len(t, items, 2, "the rich setup's, and what needs no model")
	for n, since := range []int64{first.Time, second.Time} {
		e := h.evaluations(n)[0]
		require.Equal(t, eval.Deferred, e.Status)
		require.Equal(t, eval.ReasonCost, e.Reason)
		require.Equal(t, noon.Add(12*time.Hour), time.Unix(0, e.Due).UTC())
		require.Equal(t, since, e.Time, "since when it is pending")
	}
	require.EqualValues(t, 2, h.counted("touchstone_backlog_completed", "cost"))
}

func TestSpentMoneyOfAnEnvironmentWaitsForTheNextDay(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	today := time.Now()
	h.ahead.Store(int64(store.Midnight(today).Add(12 * time.Hour).Sub(today)))
	require.NoError(t, h.quota(tenant.Quota{DollarsPerDay: 0.5}))
	s := h.setup("s", nil, "toxicity-detector")
	other := h.setup("other", nil, "toxicity-detector")
	spent := owedBy(other, "toxicity-detector")
	spent.Status, spent.Usage.Cost, spent.Time = eval.Done, 0.5, h.now().UnixNano()
	h.write(h.newSpan(0), spent)
	first := owedBy(s, "toxicity-detector")
	h.write(h.newSpan(1), first)

	owed, err := h.real.Lease(t.Context(), time.Now(), time.Now().Add(time.Minute), 10)
	require.NoError(t, err)
	r := h.newReceiver(testConfig(), h.complete)
	r.spans, r.backlog, r.live, r.usage = h.spans, h.backlog, h.live, h.usage
	now := h.now()
	items, err := newTriage(r, now).run(t.Context(), owed)
	require.NoError(t, err)
	require.Empty(t, items)
	e := h.evaluations(1)[0]
	require.Equal(t, eval.Deferred, e.Status)
	require.Equal(t, eval.ReasonCost, e.Reason)
	require.Equal(t, store.Midnight(now).AddDate(0, 0, 1), time.Unix(0, e.Due).UTC())
	require.EqualValues(t, 1, h.counted("touchstone_backlog_completed", "cost"))

	require.NoError(t, h.quota(tenant.Quota{DollarsPerDay: 2}))
	h.write(h.newSpan(2), owedBy(s, "toxicity-detector"))
	h.start(testConfig(), h.complete)
	h.await(2, eval.Done)
}

// quota gives the environment a quota.
func (h *testbed) quota(q tenant.Quota) error {
	_, err := h.live.ChangeOrganization(h.t.Context(), h.env.OrganizationID, func(o *tenant.Organization) error {
		o.Projects[0].Environments[0].Quota = q
		return nil
	})
	return err
}

func TestMidnight(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 5*3600)
	require.Equal(t, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), store.Midnight(time.Date(2026, 11, 21, 4, 59, 0, 0, east)))
	require.Equal(t, time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), store.Midnight(time.Date(2026, 11, 21, 5, 0, 0, 0, east)))
}
