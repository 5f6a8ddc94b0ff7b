// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// The prices of an organization hold for the spans that arrive after them, before list
// prices, and for no other organization.
func TestPricesOfAnOrganization(t *testing.T) {
	h := startCollector(t, t.TempDir())
	keys := []string{h.key(t, "own"), h.key(t, "other")}
	type listed struct {
		Organizations []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"organizations"`
	}
	ids := map[string]string{}
	for _, o := range must[listed](t, h, http.MethodGet, "/v2/organizations", testbed.AccessToken, nil).Organizations {
		ids[o.Name] = o.ID
	}
	at := "/v2/organizations/" + ids["own"] + "/prices"
	now := time.Now()
	cost := func(key string, number byte) float64 {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID([16]byte{number})
		s.SetSpanID([8]byte{number})
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(now))
		require.NoError(t, s.Attributes().FromRaw(map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1_000_000, "gen_ai.usage.output_tokens": 0}))
		require.NoError(t, h.exportGRPC(t, key, td))
		type full struct {
			Cost float64 `json:"cost"`
		}
		return must[full](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID().String()+"/"+s.SpanID().String(), key, nil).Cost
	}
	require.InDelta(t, 2.5, cost(keys[0], 1), 1e-9, "as listed")
	prices := map[string]any{"prices": []map[string]any{{"model": "gpt-4o", "input": 1.25, "output": 5}}}
	status, body := h.call(t, http.MethodPut, at, testbed.AccessToken, prices)
	require.Equal(t, http.StatusOK, status, string(body))
	require.JSONEq(t, `{"prices":[{"model":"gpt-4o","input":1.25,"output":5}]}`, string(body))
	require.InDelta(t, 1.25, cost(keys[0], 2), 1e-9)
	require.InDelta(t, 2.5, cost(keys[1], 2), 1e-9, "of another organization")
	status, body = h.call(t, http.MethodGet, at, testbed.AccessToken, nil)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"prices":[{"model":"gpt-4o","input":1.25,"output":5}]}`, string(body))
	status, _ = h.call(t, http.MethodPut, at, keys[0], prices)
	require.Equal(t, http.StatusForbidden, status, "a key is of an environment")
	for i, wrong := range []any{
		map[string]any{"prices": []map[string]any{{"model": "m", "input": -1, "output": 0}}},
		map[string]any{"prices": []map[string]any{{"model": "m", "input": 1, "output": 0}, {"model": "m", "input": 1, "output": 0}}},
		map[string]any{},
	} {
		status, body = h.call(t, http.MethodPut, at, testbed.AccessToken, wrong)
		require.Equal(t, http.StatusBadRequest, status, strconv.Itoa(i)+string(body))
	}
	status, _ = h.call(t, http.MethodPut, at, testbed.AccessToken, map[string]any{"prices": []any{}})
	require.Equal(t, http.StatusOK, status)
	require.InDelta(t, 2.5, cost(keys[0], 3), 1e-9)
}
