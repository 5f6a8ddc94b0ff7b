// SPDX-License-Identifier: Apache-2.0

package ready

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

const (
	second = int64(time.Second)
	begun  = 1_000_000 * second
	limit  = 10 * time.Minute
)

// at makes a span of the service "app" that arrives so many seconds after the begin, at once.
func at(id, parent byte, seconds int64) Span {
	s := Span{ID: span.ID{id}, Service: "app", Name: "step", Kind: "SPAN_KIND_INTERNAL", End: begun + seconds*second, Arrived: begun + seconds*second}
	if parent != 0 {
		s.Parent = span.ID{parent}
	}
	return s
}

// changed returns a span with a change.
func changed(s Span, change func(*Span)) Span {
	change(&s)
	return s
}

func server(s *Span) { s.Kind = "SPAN_KIND_SERVER" }

// learned returns a memory of so many traces.
func learned(n int, trace ...Span) *Memory {
	m := &Memory{}
	for range n {
		m.Learn(trace, Structure, begun)
	}
	return m
}

func TestReasons(t *testing.T) {
	t.Parallel()
	asks := func(s *Span) { s.Calls = []Call{{ID: "c1", Tool: "search"}} }
	answers := func(s *Span) { s.Answered = []string{"c1"} }
	runs := func(s *Span) { s.Runs = "c1" }
	client := func(s *Span) { s.Kind, s.Name = clientKind, "GET /stock" }
	remote := func(s *Span) { s.Kind, s.Service = "SPAN_KIND_SERVER", "stock" }
	inProcess := func(s *Span) { s.Kind, s.Flags = "SPAN_KIND_SERVER", flagKnown }
	for name, row := range map[string]struct {
		memory *Memory
		trace  []Span
		reason Reason
		after  time.Duration // of the last arrival
	}{
		"a root and nothing open":             {nil, []Span{at(1, 0, 5), at(2, 1, 3)}, Structure, settleUnknown},
		"a root whose delay is known":         {learned(learnt, at(1, 0, 5)), []Span{at(1, 0, 5)}, Structure, Settle},
		"a root with a link":                  {nil, []Span{changed(at(1, 0, 5), func(s *Span) { s.Links = true })}, Linked, settleUnknown},
		"a parent in between is missing":      {nil, []Span{at(1, 0, 5), at(3, 2, 4)}, Quiet, quietLeast},
		"the trace has had longer gaps":       {nil, []Span{at(1, 0, 100), at(3, 2, 50)}, Quiet, quietGaps * 50 * time.Second},
		"the root is missing":                 {nil, []Span{at(2, 1, 5), at(3, 2, 4)}, Deadline, limit},
		"a call without result":               {nil, []Span{at(1, 0, 5), changed(at(2, 1, 3), asks)}, Quiet, quietLeast},
		"a call with result":                  {nil, []Span{at(1, 0, 5), changed(at(2, 1, 3), asks), changed(at(3, 1, 4), answers)}, Structure, settleUnknown},
		"a tool that never answers":           {learned(learntFew, changed(at(1, 0, 1), asks)), []Span{changed(at(1, 0, 5), asks)}, Structure, settleUnknown},
		"a call that nothing asked for":       {learned(learnt, changed(at(1, 0, 1), asks), changed(at(2, 1, 1), runs)), []Span{at(1, 0, 5), changed(at(2, 1, 3), runs)}, Quiet, quietLeast},
		"a client that usually reaches spans": {learned(learnt, changed(at(1, 0, 1), client), changed(at(2, 1, 1), remote)), []Span{changed(at(1, 0, 5), client)}, Quiet, quietLeast},
		"a client that never does":            {learned(learnt, changed(at(1, 0, 1), client)), []Span{changed(at(1, 0, 5), client)}, Structure, Settle},
		"an unknown caller":                   {nil, []Span{changed(at(2, 1, 5), server)}, LocalRoot, quietLeast},
		"a parent that never comes":           {learned(learntFew, at(2, 1, 1)), []Span{at(2, 1, 5)}, LocalRoot, settleUnknown},
		"a parent in between that never is":   {learned(learntFew, at(1, 0, 1), at(3, 2, 1)), []Span{at(1, 0, 5), at(3, 2, 4)}, Structure, settleUnknown},
		"a caller whose spans never come":     {learned(learnt, changed(at(2, 1, 1), server)), []Span{changed(at(2, 1, 5), server)}, LocalRoot, Settle},
		"one below it is open":                {learned(learnt, changed(at(2, 1, 1), server)), []Span{changed(at(2, 1, 5), server), changed(at(3, 2, 4), asks)}, Quiet, quietLeast},
		"a caller whose spans usually come":   {learned(learnt, at(1, 0, 1), changed(at(2, 1, 1), server)), []Span{changed(at(2, 1, 5), server)}, Deadline, limit},
		"a server called in its own process":  {nil, []Span{changed(at(2, 1, 5), inProcess)}, Deadline, limit},
		"spans in a circle":                   {nil, []Span{at(1, 2, 5), at(2, 1, 4)}, Deadline, limit},
		"arrivals are unknown":                {nil, []Span{changed(at(2, 1, 5), func(s *Span) { s.Arrived = 0 })}, Deadline, limit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.memory == nil {
				row.memory = &Memory{}
			}
			last := row.trace[0].End
			d := row.memory.Decide(row.trace, last, last, limit)
			require.Equal(t, row.reason, d.Reason)
			require.Equal(t, last+int64(row.after), d.At)
			require.LessOrEqual(t, d.Look, d.At)
			require.GreaterOrEqual(t, d.Look, min(d.At, last+int64(Soonest)))

			d = row.memory.Decide(row.trace, last, last, Settle/2)
			require.Equal(t, Deadline, d.Reason, "no wait is longer")
			require.Equal(t, last+int64(Settle/2), d.At)
		})
	}
}

// A slow service is waited for, but not for long.
func TestWaitIsTheDelayOfTheService(t *testing.T) {
	t.Parallel()
	late := func(by time.Duration) Span {
		return changed(at(1, 0, 5), func(s *Span) { s.Arrived += int64(by) })
	}
	for _, row := range []struct{ usual, this, want time.Duration }{
		{3 * time.Second, time.Second, 2 * time.Second},
		{3 * time.Second, 4 * time.Second, Settle},
		{time.Minute, time.Second, settleMost},
		{-time.Minute, -time.Minute, Settle}, // its clock is wrong
	} {
		s := late(row.this)
		d := learned(learnt, late(row.usual)).Decide([]Span{s}, s.Arrived, s.Arrived, limit)
		require.Equal(t, s.Arrived+int64(row.want), d.At, row)
	}
}

// Where the batches of a service come in order, the root's has come after all others.
func TestOrderedServicesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	late := func(s Span, by time.Duration) Span {
		s.Arrived = s.End + int64(by)
		return s
	}
	root, child := at(1, 0, 5), at(2, 1, 2)
	now := []Span{late(root, time.Second)}
	ordered := learned(learnt, late(root, 3*time.Second), late(child, 3*time.Second))
	require.Equal(t, now[0].Arrived+int64(Settle), ordered.Decide(now, now[0].Arrived, now[0].Arrived, limit).At)
	mixed := learned(learnt, late(root, 3*time.Second), late(child, 10*time.Second))
	require.Equal(t, now[0].Arrived+int64(settleMost), mixed.Decide(now, now[0].Arrived, now[0].Arrived, limit).At)
}

// Looks get rarer while nothing arrives, sooner where the root is missing.
func TestLooksGetRarer(t *testing.T) {
	t.Parallel()
	m := &Memory{}
	for _, row := range []struct {
		trace      []Span
		since, now int64
		want       int64 // seconds after now
	}{
		{[]Span{at(1, 0, 0), at(3, 2, 0)}, 0, 1, 1},
		{[]Span{at(1, 0, 0), at(3, 2, 0)}, 0, 40, 10},
		{[]Span{at(1, 0, 0), at(3, 2, 0)}, 0, 80, 10}, // to the end
		{[]Span{at(2, 1, 0)}, 0, 1, 1},
		{[]Span{at(2, 1, 0)}, 0, 40, 20},
		{[]Span{at(2, 1, 0)}, 0, 590, 10},
	} {
		now := begun + row.now*second
		require.Equal(t, now+row.want*second, m.Decide(row.trace, begun+row.since*second, now, limit).Look, row)
	}
}

// The calls of an agent that still works are judged at their deadlines. That does not mean
// that the agent's span never comes.
func TestGrowingTracesTeachNothing(t *testing.T) {
	t.Parallel()
	m := &Memory{}
	call := at(2, 1, 0)
	m.Learn([]Span{call}, Deadline, call.Arrived+int64(quietLeast)-1)
	require.Empty(t, m.habits)
	m.Learn([]Span{call}, Deadline, call.Arrived+int64(quietLeast))
	require.NotEmpty(t, m.habits)
}

// What is remembered has a bound, and follows changes.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := &Memory{}
	for i := range 2 * maxHabits {
		name := string(rune('a' + i))
		m.Learn([]Span{{ID: span.ID{1}, Service: name, Name: name, Kind: clientKind, End: begun, Arrived: begun + 1}}, Structure, begun)
	}
	require.Len(t, m.services, maxServices)
	require.Len(t, m.habits, maxHabits)

	client, child := Span{ID: span.ID{1}, Service: "a", Name: "b", Kind: clientKind}, Span{ID: span.ID{2}, Parent: span.ID{1}, Service: "c"}
	for range 10 * maxTally {
		m.Learn([]Span{client, child}, Structure, begun)
	}
	for range 2 * maxTally {
		m.Learn([]Span{client}, Structure, begun)
	}
	_, share := m.share(childCame, "a", "b")
	require.Less(t, share, 0.2)
}
