// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// of makes a request of an environment.
func of(env tenant.EnvironmentID, records, bytes int) *Request {
	r := sized(records, bytes)
	for i := range r.Records {
		r.Records[i].Environment.ID = env
	}
	return r
}

func owners(group []*Request) (list []tenant.EnvironmentID) {
	for _, r := range group {
		list = append(list, r.Environment())
	}
	return list
}

func TestNobodyWaitsForAllThatAnotherSends(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	for range 40 {
		q.waiting = append(q.waiting, of("many", 1, 60))
	}
	q.waiting = append(q.waiting, of("few", 1, 10), of("large", 1, 100))
	require.Equal(t, []tenant.EnvironmentID{"few", "many"}, owners(q.take()))
	require.Equal(t, []tenant.EnvironmentID{"large"}, owners(q.take()), "who has not had anything comes first")
	for range 5 {
		q.waiting = append(q.waiting, of("few", 1, 10))
		require.Contains(t, owners(q.take()), tenant.EnvironmentID("few"), "in the next commit, whatever waits")
	}
	for len(q.waiting) > 0 {
		require.NotEmpty(t, q.take())
	}
	require.Empty(t, q.served)
}

// Two who always have something in line get the same, though one has ten times as much.
func TestACommitIsSharedByBytes(t *testing.T) {
	t.Parallel()
	q := NewQueue(1000)
	sent := map[tenant.EnvironmentID]int{}
	for range 200 {
		for waiting := len(q.waiting); waiting < 110; waiting++ {
			q.waiting = append(q.waiting, of("many", 1, 50))
		}
		for range 5 {
			q.waiting = append(q.waiting, of("few", 1, 100))
		}
		for _, r := range q.take() {
			sent[r.Environment()] += r.Bytes
		}
	}
	require.InEpsilon(t, sent["many"], sent["few"], 0.05)
}

func TestEnvironmentsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	q := NewQueue(100)
	var want []*Request
	for i := range 30 {
		r := of(tenant.EnvironmentID([]string{"a", "b", "c"}[i%3]), 1, 30+i)
		q.waiting = append(q.waiting, r)
		want = append(want, r)
	}
	got := map[tenant.EnvironmentID][]*Request{}
	for len(q.waiting) > 0 {
		for _, r := range q.take() {
			got[r.Environment()] = append(got[r.Environment()], r)
		}
	}
	for _, r := range want {
		env := r.Environment()
		require.Same(t, r, got[env][0])
		got[env] = got[env][1:]
	}
	q.waiting = []*Request{
		NewRequest(store.Batch{Messages: []store.Messages{{Environment: tenant.Environment{ID: "m"}}}}),
		NewRequest(store.Batch{Evaluations: []store.Evaluated{{Environment: "e"}}}), NewRequest(store.Batch{}),
	}
	require.Equal(t, []tenant.EnvironmentID{"m", "e", ""}, owners(q.take()))
}

// A commit that several environments wait for is short, however much one of them sends:
// who sends little is in the next one.
func TestWhoSendsLittleWaitsForOneShortCommit(t *testing.T) {
	t.Parallel()
	q := NewQueue(16 << 20)
	heavy := func() []*Request { return from("heavy", texts(800, 3500)).parts(shortBytes) }
	for range 5 {
		q.waiting = append(q.waiting, heavy()...)
	}
	require.Len(t, q.take(), 10, "nobody else waits")
	for range 20 {
		q.waiting = append(q.waiting, heavy()...)
		q.waiting = append(q.waiting, of("light", 20, 20<<10))
		group := q.take()
		require.Contains(t, owners(group), tenant.EnvironmentID("light"))
		records, bytes := 0, 0
		for _, r := range group {
			records += r.Rows()
			bytes += r.Bytes
		}
		require.LessOrEqual(t, bytes, shortBytes)
		require.LessOrEqual(t, records, shortRecords)
	}
}

// Several who send much share a commit that is longer: it costs a fifth less CPU time for
// each span.
func TestWhoeverSendsMuchSharesLongerCommits(t *testing.T) {
	t.Parallel()
	q := NewQueue(16 << 20)
	for range 5 {
		for _, env := range []tenant.EnvironmentID{"a", "b", "c"} {
			q.waiting = append(q.waiting, from(env, texts(800, 3500)).parts(shortBytes)...)
		}
	}
	bytes := 0
	group := q.take()
	for _, r := range group {
		bytes += r.Bytes
	}
	require.InDelta(t, sharedBytes, bytes, shortBytes)
	require.ElementsMatch(t, []tenant.EnvironmentID{"a", "b", "c"}, slices.Compact(slices.Sorted(slices.Values(owners(group)))))
}

// Who waits for answers is not always in line: commits stay bounded for a while.
func TestWhoSentLatelyIsRemembered(t *testing.T) {
	t.Parallel()
	var s senders
	now := time.Now()
	heavy, light := []*Request{of("heavy", 1, heavyBytes)}, []*Request{of("light", 1, 1)}
	several := func(waiting []*Request, now time.Time) bool {
		s.note(waiting, now)
		require.Equal(t, s.several(now), s.unequal(now))
		return s.several(now)
	}
	require.False(t, several(heavy, now))
	require.False(t, several(heavy, now.Add(time.Hour)))
	now = now.Add(time.Hour)
	require.True(t, several(light, now))
	require.True(t, several(heavy, now))
	require.True(t, several(heavy, now.Add(sendersMemory-1)))
	require.False(t, several(heavy, now.Add(sendersMemory)))
	require.True(t, several(append(heavy, light...), now.Add(time.Hour)))

	now = now.Add(2 * time.Hour)
	s.note(append(heavy, of("other", 1, heavyBytes)), now)
	s.note([]*Request{of("heavy", 1, 1)}, now)
	require.True(t, s.several(now))
	require.False(t, s.unequal(now), "the rest of what somebody sends who sends much")
}

// What is written in parts is one request to who sent it.
func TestPartsOfARequestEndTogether(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	submit := func(fails int) (groups int, err error) {
		q := NewQueue(100)
		err = q.Submit(t.Context(), texts(8, 50), func(group []*Request) {
			if groups++; groups == fails {
				fail(group, boom)
			}
		}, q.Leave)
		require.Zero(t, q.length())
		return groups, err
	}
	all, err := submit(0)
	require.NoError(t, err)
	require.Greater(t, all, 4)
	_, err = submit(all - 1)
	require.ErrorIs(t, err, boom)

	// What has not begun when its sender goes away is not written.
	q := NewQueue(100)
	finish := holdTurn(t, &q)
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- q.Submit(ctx, texts(8, 50), func([]*Request) { panic("written") }, q.Leave) }()
	require.Eventually(t, func() bool { return q.length() > 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-second, context.Canceled)
	require.Zero(t, q.length())
	finish()
}

// from returns a request with its records as those of an environment.
func from(env tenant.EnvironmentID, r *Request) *Request {
	for i := range r.Records {
		r.Records[i].Environment.ID = env
	}
	return r
}

// texts makes a request of so many records with a text of so many bytes each.
func texts(records, bytes int) *Request {
	list := make([]store.Record, records)
	for i := range list {
		list[i].Span.Input = strings.Repeat("a", bytes)
	}
	return NewRequest(store.Batch{Records: list})
}
