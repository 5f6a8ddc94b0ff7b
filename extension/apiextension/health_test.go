// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func TestHealthSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	for _, path := range []string{"/health", "/health/ready", "/health/live"} {
		require.JSONEq(t, `{"status":"ok"}`, h.call(t, http.MethodGet, path, "", "").body)
	}
	h.problems = []store.Problem{{Name: store.ProblemWrite, Message: "spans cannot be stored: the disk is full"}}
	for _, path := range []string{"/health", "/health/ready"} {
		r := h.call(t, http.MethodGet, path, "", "")
		require.Equal(t, http.StatusServiceUnavailable, r.status)
		require.Equal(t, "2", r.header.Get("Retry-After"))
		require.JSONEq(t, `{"status":"unavailable","error":"spans cannot be stored: the disk is full",
			"problems":[{"name":"spans_write","message":"spans cannot be stored: the disk is full"}]}`, r.body)
	}
	require.Equal(t, http.StatusServiceUnavailable, h.call(t, http.MethodHead, "/health", "", "").status)
	damaged := store.Problem{Name: store.ProblemDamage, Message: "a damaged file of spans was moved away: its spans are missing"}
	h.problems = append(h.problems, damaged)
	require.Equal(t, http.StatusServiceUnavailable, h.call(t, http.MethodGet, "/health", "", "").status)
	h.problems = []store.Problem{damaged}
	for _, path := range []string{"/health", "/health/ready"} {
		r := h.call(t, http.MethodGet, path, "", "")
		require.Equal(t, http.StatusOK, r.status, "spans are taken")
		require.JSONEq(t, `{"status":"degraded",
			"problems":[{"name":"spans_damaged","message":"a damaged file of spans was moved away: its spans are missing"}]}`, r.body)
	}
	require.Equal(t, http.StatusOK, h.call(t, http.MethodGet, "/health/live", "", "").status)
	h.problems = []store.Problem{{Name: store.ProblemStuck, Message: "a span has kept evaluators at work for more than 30s: other spans are evaluated at the same time"}}
	r := h.call(t, http.MethodGet, "/health", "", "")
	require.Equal(t, http.StatusOK, r.status, "spans are taken")
	require.Equal(t, healthDegraded, into[healthAnswer](t, r).Status)
}

type backlogOf store.BacklogStats

func (b backlogOf) Stats(context.Context) (store.BacklogStats, error) {
	return store.BacklogStats(b), nil
}

func TestBacklogThatDoesNotMoveIsTold(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 14, 6, 0, time.UTC)
	owed := backlogOf{Evaluations: 1, OldestOwed: now.Add(-10 * time.Minute).UnixNano()}
	h := &health{&storeProvider{}, owed, &operations.MonitoringConfig{ErrorAfter: 10 * time.Minute}, func() time.Time { return now }, answersWithin}
	answer, err := h.ready(httptest.NewRequest(http.MethodGet, "/health", nil))
	require.NoError(t, err)
	require.Equal(t, healthAnswer{Status: healthOK}, answer.Body)
	now = now.Add(time.Second)
	answer, err = h.ready(httptest.NewRequest(http.MethodGet, "/health", nil))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status, "spans are taken")
	require.Equal(t, healthAnswer{Status: healthDegraded, Problems: []store.Problem{
		{Name: problemBacklog, Message: "evaluations have been pending since 2026-01-02T03:04:06.000Z"},
	}}, answer.Body)
}

// silent is a backlog that answers after its callers have gone.
type silent struct{}

func (silent) Stats(ctx context.Context) (store.BacklogStats, error) {
	<-ctx.Done()
	return store.BacklogStats{}, ctx.Err()
}

// A probe of a process whose store does not answer gets an answer before it gives up.
func TestAStoreThatDoesNotAnswerIsNotReady(t *testing.T) {
	t.Parallel()
	h := &health{&storeProvider{}, silent{}, &operations.MonitoringConfig{}, time.Now, time.Millisecond}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/health/ready", nil)
	require.NoError(t, err)
	answer, err := h.ready(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, answer.Status)
	require.Equal(t, "cannot count pending evaluations: the store does not answer", answer.Body.(healthAnswer).Error)
}
