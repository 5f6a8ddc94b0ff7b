// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"testing"

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
		list = append(list, r.environment())
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
	require.Equal(t, []tenant.EnvironmentID{"many", "few"}, owners(q.take()))
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
			sent[r.environment()] += r.Bytes
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
			got[r.environment()] = append(got[r.environment()], r)
		}
	}
	for _, r := range want {
		env := r.environment()
		require.Same(t, r, got[env][0])
		got[env] = got[env][1:]
	}
	q.waiting = []*Request{{Messages: []store.Messages{{Environment: tenant.Environment{ID: "m"}}}}, {Evaluations: []store.Evaluated{{Environment: "e"}}}, {}}
	require.Equal(t, []tenant.EnvironmentID{"m", "e", ""}, owners(q.take()))
}
