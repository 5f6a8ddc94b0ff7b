// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireSound holds what a table counts against what it has.
func (b *bed) requireSound(t *testing.T) {
	t.Helper()
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	waiting, undecided, remembered := 0, 0, 0
	for name, e := range b.table.environments {
		require.Equal(t, name, e.name)
		bytes := 0
		for at := e.requests.Front(); at != nil; at = at.Next() {
			r := at.Value.(*request)
			require.Positive(t, r.undecided)
			bytes += r.bytes
		}
		require.Equal(t, bytes, e.bytes)
		waiting += bytes
		undecided += e.undecided
		remembered += e.remembered.Len()
		require.False(t, e.requests.Len() == 0 && e.remembered.Len() == 0, "environments of which there is nothing are forgotten")
	}
	require.Equal(t, waiting, b.table.waiting)
	require.Equal(t, undecided, b.table.undecided.Len())
	require.Equal(t, remembered, b.table.remembered)
	require.Len(t, b.table.traces, undecided+remembered)
}

// Where there is no room, what waits longest of the environment that has most is decided
// with what is known. Nothing is lost, and others wait on.
func TestWhatHasNoRoomIsDecidedEarly(t *testing.T) {
	t.Parallel()
	for reason, bound := range map[string]func(*Config){
		"traces": func(c *Config) { c.MaxTraces = 100 },
		"memory": func(c *Config) { c.MaxMiB = 1 },
	} {
		cfg := failuresAndSome()
		cfg.Answer = answerHeld
		bound(cfg)
		b := start(t, cfg, nil)
		quiet := newSpans()
		quiet.add("quiet", "quiet", 1, low, flagged)
		require.NoError(t, b.ConsumeTraces(t.Context(), quiet.Traces))
		const requests = 150
		for i := range uint32(requests) {
			loud := newSpans()
			loud.add("loud", "loud"+strconv.Itoa(int(i)), 10+i, low, flagged).Attributes().PutStr("text", strings.Repeat("x", 10_000))
			require.NoError(t, b.ConsumeTraces(t.Context(), loud.Traces))
			b.requireSound(t)
			bytes, traces := b.table.held()
			require.LessOrEqual(t, traces, cfg.MaxTraces)
			require.LessOrEqual(t, bytes, 2*cfg.MaxMiB<<20)
		}
		early := b.counts(t, "early", "reason")
		require.Positive(t, early[reason])
		require.Less(t, early[reason], int64(requests*2/3), "no more than there is too much, by and by")
		require.Eventually(t, func() bool { return len(names(&b.sent)) >= int(early[reason]) }, time.Minute, time.Millisecond)
		require.NotContains(t, names(&b.sent), "quiet")
		require.Contains(t, names(&b.sent), "loud0")
		require.NotContains(t, names(&b.sent), "loud"+strconv.Itoa(requests-1))
		require.NoError(t, b.Shutdown(t.Context()))
		require.Len(t, names(&b.sent), requests+1)
	}
}

// A request that is larger than all there is room for is decided at once.
func TestOneRequestMayBeLargerThanTheRoom(t *testing.T) {
	t.Parallel()
	cfg := failuresAndSome()
	cfg.MaxMiB = 1
	b := start(t, cfg, nil)
	td := newSpans()
	td.add("e", "large", 1, low, flagged).Attributes().PutStr("text", strings.Repeat("x", 3<<20))
	require.NoError(t, b.ConsumeTraces(t.Context(), td.Traces))
	require.Equal(t, []string{"large"}, names(&b.sent))
	b.requireSound(t)
}

// While what was decided is not taken over, as much again waits and no more: the rest is
// refused, and senders try again.
func TestMemoryIsBoundedWhileNothingIsTakenOver(t *testing.T) {
	t.Parallel()
	cfg := failuresAndSome()
	cfg.Answer, cfg.MaxMiB = answerHeld, 1
	var next switched
	next.set(errors.New("queue is full"))
	b := start(t, cfg, &next)
	accepted := 0
	for i := range uint32(100) {
		td := newSpans()
		td.add("e", strconv.Itoa(int(i)), i, low, flagged).Attributes().PutStr("text", strings.Repeat("x", 100_000))
		err := b.ConsumeTraces(t.Context(), td.Traces)
		if err == nil {
			accepted++
		} else {
			require.ErrorIs(t, err, errFull)
		}
		bytes, _ := b.table.held()
		require.LessOrEqual(t, bytes, 2<<20)
	}
	require.InDelta(t, 20, accepted, 4)
	require.EqualValues(t, 100-accepted, b.counts(t, "refused", "")[""])
	next.set(nil)
	require.NoError(t, b.Shutdown(t.Context()))
	require.Len(t, names(&next.sink), accepted, "what was acknowledged is handed on")
}

// Decisions are remembered for so many traces, and an environment with many does not have
// those of others forgotten.
func TestDecisionsAreForgotten(t *testing.T) {
	t.Parallel()
	cfg := failuresAndSome()
	cfg.RememberedTraces = 50
	b := start(t, cfg, nil)
	send := func(environment, name string, trace uint32) {
		td := newSpans()
		td.add(environment, name, trace, low, passed)
		answer := b.send(t, td.Traces)
		b.decide()
		require.NoError(t, <-answer)
		b.requireSound(t)
	}
	send("quiet", "", 1)
	for i := range uint32(200) {
		send("loud", "", i)
		require.LessOrEqual(t, len(b.table.traces), cfg.RememberedTraces)
	}
	send("quiet", "late", 1)
	require.EqualValues(t, 1, b.counts(t, "late", "decision")["dropped"])
	send("loud", "forgotten", 0)
	require.EqualValues(t, 1, b.counts(t, "late", "decision")["dropped"], "it is a new trace")
	for i := range uint32(200) {
		send("other"+strconv.Itoa(int(i)), "", i)
	}
	require.LessOrEqual(t, len(b.table.environments), cfg.RememberedTraces)
}

// A request waits for all of its traces, and each of them for as long as its first span.
func TestTracesWaitFromTheirFirstSpan(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	begin := time.Now().Add(maxDecisionWait) // far enough for nothing to be due by itself
	add := func(at time.Duration, traces ...uint32) *request {
		td := newSpans()
		for _, tr := range traces {
			td.add("e", "", tr, low, flagged)
		}
		r := &request{td: td.Traces, bytes: 1}
		require.NoError(t, b.table.add(r, b.look(td.Traces), begin.Add(at)))
		return r
	}
	ready := func(r *request) bool {
		select {
		case <-r.ready:
			return true
		default:
			return false
		}
	}
	first, second := add(0, 1, 2), add(time.Second, 2, 2, 3)
	third := add(2*time.Second, 1)
	b.table.decideDue(begin.Add(maxDecisionWait - 1))
	require.False(t, ready(first))
	b.table.decideDue(begin.Add(maxDecisionWait))
	require.True(t, ready(first))
	require.False(t, ready(second), "of its third trace")
	require.True(t, ready(third))
	b.table.decideDue(begin.Add(maxDecisionWait + time.Second))
	require.True(t, ready(second))
	require.True(t, ready(add(time.Hour, 3, 1)), "they are decided")
	b.requireSound(t)
}
