// SPDX-License-Identifier: Apache-2.0

package alert_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/alert"
)

func number(n float64) *float64 { return &n }

// watching is a rule with its state, to which a test gives minutes.
type watching struct {
	rule  alert.Rule
	state alert.State
}

func watch(r alert.Rule) *watching {
	r.ID, r.Generation = "r", 1
	if r.Window == 0 {
		r.Window = 60
	}
	if r.FalseAlarms == 0 {
		r.FalseAlarms = 0.05
	}
	r.ScoreMax = max(r.ScoreMax, 1)
	return &watching{r, alert.NewState(&r, 1000)}
}

// pass takes in a minute, and returns the statuses that changed.
func (w *watching) pass(data ...alert.Minute) (changed []alert.Status) {
	for i := range data {
		data[i].At = w.state.Next
		if data[i].Keys == nil {
			data[i].Keys = []string{}
		}
	}
	before := len(w.state.Outbox)
	w.state.Advance(&w.rule, data, w.state.Next+1)
	for _, n := range w.state.Outbox[before:] {
		for _, c := range n.Changes {
			changed = append(changed, c.Status)
		}
	}
	return changed
}

// values are those of traces, of which the first are 1.
func values(n, bad int) (list []alert.Value) {
	for i := range n {
		v := alert.Value{Weight: 1}
		if i < bad {
			v.Value = 1
		}
		list = append(list, v)
	}
	return list
}

func TestFiveSpansAreNoAlert(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.FailingShare, Condition: alert.Condition{Above: number(0.05)}})
	require.Empty(t, w.pass(alert.Minute{Values: values(5, 5)}))
	require.Equal(t, alert.Learning, w.state.Groups[0].Status)
	require.Equal(t, []alert.Status{alert.Firing}, w.pass(alert.Minute{Values: values(5, 5)}))
}

func TestSumsHaveHysteresis(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.Cost, Window: 3, Condition: alert.Condition{Above: number(10)}})
	require.Empty(t, w.pass(alert.Minute{Sum: 5}))
	require.Equal(t, []alert.Status{alert.Firing}, w.pass(alert.Minute{Sum: 6}), "11 in three minutes")
	require.Empty(t, w.pass(alert.Minute{Sum: -0.5}))
	require.Empty(t, w.pass(alert.Minute{Sum: 4}), "9.5 is not far enough below")
	require.Equal(t, []alert.Status{alert.OK}, w.pass())
}

func TestFewResultsAlertWhenTheWindowIsFull(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.Results, Window: 3, Condition: alert.Condition{Below: number(1)}})
	require.Empty(t, w.pass())
	require.Empty(t, w.pass())
	require.Equal(t, alert.Learning, w.state.Groups[0].Status)
	require.Equal(t, []alert.Status{alert.Firing}, w.pass())
	require.Equal(t, []alert.Status{alert.OK}, w.pass(alert.Minute{Sum: 3}))
}

func TestGroupsWithoutData(t *testing.T) {
	t.Parallel()
	for what, want := range map[alert.NoData][]alert.Status{alert.KeepStatus: nil, alert.AlertOn: {alert.Missing}} {
		w := watch(alert.Rule{Metric: alert.ErrorRate, By: []string{"service.name"}, Window: 5, NoData: what, Condition: alert.Condition{Above: number(0.5)}})
		shop := alert.Minute{Keys: []string{"shop"}, Values: values(40, 0)}
		require.Empty(t, w.pass(shop))
		var got []alert.Status
		for range 10 {
			got = append(got, w.pass()...)
		}
		require.Equal(t, want, got, what)
		if what == alert.AlertOn {
			require.Equal(t, []alert.Status{alert.OK}, w.pass(shop))
		}
		for range 7*24*60 + 5 { // it never comes again
			w.pass()
		}
		require.Empty(t, w.state.Groups)
	}
}

func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.Spans, By: []string{"user"}, Condition: alert.Condition{Above: number(1e9)}})
	var all []alert.Minute
	for i := range alert.MaxGroups + 10 {
		all = append(all, alert.Minute{Keys: []string{string(rune('a' + i))}, Sum: 1})
	}
	w.pass(all...)
	require.Len(t, w.state.Groups, alert.MaxGroups)
	require.True(t, w.state.Ignored)
}

// Values of which one stands for many count for more, also those from before it came.
func TestWeightsOfValues(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.FailingShare, Condition: alert.Condition{Above: number(0.9)}})
	w.pass(alert.Minute{Values: values(100, 0)})
	heavy := values(100, 50)
	for i := range heavy {
		heavy[i].Weight = 4
	}
	w.pass(alert.Minute{Values: heavy})
	shown := w.state.Groups[0].Shown(&w.rule, w.state.Next-1)
	require.InDelta(t, 0.4, *shown.Value, 1e-9)
	require.EqualValues(t, 200, shown.Traces)
	require.InDelta(t, 500*500/1700.0, shown.Effective, 1e-6)
}

func TestLongPausesAreNotMadeUpFor(t *testing.T) {
	t.Parallel()
	w := watch(alert.Rule{Metric: alert.Spans, Window: 5, Condition: alert.Condition{Above: number(10)}})
	w.state.Advance(&w.rule, []alert.Minute{{At: 1001, Keys: []string{}, Sum: 99}}, 1000+10*alert.MaxBehind)
	require.Empty(t, w.state.Outbox)
	require.EqualValues(t, 1000+10*alert.MaxBehind, w.state.Next)
}

// stream gives a rule minutes of about 200 traces an hour, of which some fail, and returns in
// which minute it fires first, or minutes.
func (w *watching) stream(r *rand.Rand, minutes int, failing func(minute int) float64) int {
	for minute := range minutes {
		n := 3
		if r.IntN(3) == 0 {
			n++
		}
		list := values(n, 0)
		for i := range list {
			if r.Float64() < failing(minute) {
				list[i].Value = 1
			}
		}
		if got := w.pass(alert.Minute{Values: list}); len(got) > 0 && got[0] == alert.Firing {
			return minute
		}
	}
	return minutes
}

// 5 % fail by day and 15 % by night, which is usual. Then 15 % fail by day, too.
func TestWorseThanUsual(t *testing.T) {
	t.Parallel()
	const day = 24 * 60
	usual := func(minute int) float64 {
		if (1000+minute)%day < day/3 {
			return 0.15
		}
		return 0.05
	}
	const streams = 6
	false30, late := 0, 0
	for seed := range uint64(streams) {
		w := watch(alert.Rule{Metric: alert.FailingShare, Condition: alert.Condition{WorseThanUsual: true}})
		r := rand.New(rand.NewPCG(seed, 9))
		if w.stream(r, 30*day, usual) < 30*day {
			false30++
			continue
		}
		require.Equal(t, alert.OK, w.state.Groups[0].Status)
		for (w.state.Next)%day != day/2 { // at noon
			w.stream(r, 1, func(int) float64 { return usual(int(w.state.Next) - 1000) })
		}
		if delay := w.stream(r, 8*60, func(int) float64 { return 0.15 }); delay > 4*60 {
			late++
		}
	}
	t.Logf("of %d streams %d had a false alarm in 30 days, %d found the change after more than 4 hours", streams, false30, late)
	require.Zero(t, false30)
	require.Zero(t, late)
}
