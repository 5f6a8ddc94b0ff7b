// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const systemPath = "/v2/system"

// reporting are models that tell how they do.
type reporting struct {
	judges
	list []model.Status
}

func (r *reporting) Status() []model.Status { return r.list }

type systemState struct {
	Version  string          `json:"version"`
	Started  string          `json:"started_at"`
	Uptime   int64           `json:"uptime_sec"`
	Problems []store.Problem `json:"problems"`
	Store    struct {
		Writable bool     `json:"writable"`
		Files    *int64   `json:"files"`
		Bytes    *int64   `json:"bytes"`
		Free     *int64   `json:"free_bytes"`
		DaysLeft *float64 `json:"days_left"`
	} `json:"store"`
	Intake  map[string]int64 `json:"intake"`
	Backlog map[string]int64 `json:"backlog"`
	Models  []map[string]any `json:"models"`
	Memory  struct {
		Resident int64  `json:"resident_bytes"`
		Heap     int64  `json:"heap_bytes"`
		Limit    *int64 `json:"limit_bytes"`
	} `json:"memory"`
	Minutes []map[string]any `json:"minutes"`
}

func TestSystemTellsHowTheProcessDoes(t *testing.T) {
	t.Parallel()
	models := &reporting{list: []model.Status{
		{Name: "judges/default", Open: true, Requests: 4, Took: 2 * time.Second, Errors: 3, LastReason: model.ReasonLimited, LastError: time.Unix(1, 0), PromptTokens: 10, CompletionTokens: 2, Cost: 0.5},
		{Name: "embedders/small"},
	}}
	h := newTestAPI(t, func(p *parts) {
		p.models, p.cfg.Models = models, component.MustNewID("models")
		p.intake = store.Intake{Spans: 5, Evaluations: 7, Refused: 2}
		p.space = &store.Space{Files: 3, Bytes: 4096, Free: 1 << 30}
	})
	got := into[systemState](t, h.call(t, "GET", systemPath, accessToken, ""))
	require.Equal(t, "v-test", got.Version)
	require.NotEmpty(t, got.Started)
	require.Empty(t, got.Problems)
	require.True(t, got.Store.Writable)
	require.Equal(t, []int64{3, 4096, 1 << 30}, []int64{*got.Store.Files, *got.Store.Bytes, *got.Store.Free})
	require.Nil(t, got.Store.DaysLeft, "nothing grew")
	require.Equal(t, map[string]int64{"spans": 5, "evaluations": 7, "refused_spans": 2}, got.Intake)
	require.Equal(t, map[string]int64{"evaluations": 0, "leased": 0, "oldest_owed_sec": 0}, got.Backlog)
	require.Equal(t, []map[string]any{
		{
			"name": "judges/default", "stopped": true, "requests": 4.0, "mean_ms": 500.0, "errors": 3.0, "last_reason": "limited",
			"last_error_at": "1970-01-01T00:00:01.000Z", "prompt_tokens": 10.0, "completion_tokens": 2.0, "cost_usd": 0.5,
		},
		{"name": "embedders/small", "stopped": false, "requests": 0.0, "mean_ms": nil, "errors": 0.0, "prompt_tokens": 0.0, "completion_tokens": 0.0, "cost_usd": 0.0},
	}, got.Models)
	require.Positive(t, got.Memory.Resident)
	require.Eventually(t, func() bool {
		return len(into[systemState](t, h.call(t, "GET", systemPath, accessToken, "")).Minutes) > 0
	}, time.Minute, 10*time.Millisecond)

	h.problems = []store.Problem{{Name: store.ProblemWrite, Message: "spans cannot be stored: the disk is full"}}
	got = into[systemState](t, h.call(t, "GET", systemPath, accessToken, ""))
	require.False(t, got.Store.Writable)
	require.Equal(t, h.problems, got.Problems)

	require.NoError(t, h.spans.Close()) // while the store of the spans is away an operator asks most
	got = into[systemState](t, h.call(t, "GET", systemPath, accessToken, ""))
	require.Nil(t, got.Backlog)
	require.Equal(t, map[string]int64{"spans": 5, "evaluations": 7, "refused_spans": 2}, got.Intake)
	require.Equal(t, h.problems, got.Problems)
}

func TestSystemIsForTheOperator(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t) // without models, and with spans on another machine
	key := h.newKey(t)
	require.Equal(t, http.StatusUnauthorized, h.call(t, "GET", systemPath, "", "").status)
	require.Equal(t, http.StatusUnauthorized, h.call(t, "GET", systemPath, "tl_made_up", "").status)
	r := h.call(t, "GET", systemPath, key, "")
	require.Equal(t, http.StatusForbidden, r.status)
	require.Contains(t, r.message(t), "takes the access token")
	require.Equal(t, http.StatusMethodNotAllowed, h.call(t, "POST", systemPath, accessToken, "{}").status)
	got := into[systemState](t, h.call(t, "GET", systemPath, accessToken, ""))
	require.Nil(t, got.Store.Bytes)
	require.Empty(t, got.Models)
	require.NotNil(t, got.Models)
}
