// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func requireTenantsSeeTheirOwnSpansOnly(t *testing.T, h *collector) {
	t.Helper()
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")

	require.NoError(t, h.exportGRPC(t, ours, someTraces(1, 3)))
	require.NoError(t, h.exportGRPC(t, theirs, someTraces(2, 2)))

	page := h.page(t, ours)
	require.EqualValues(t, 3, page.Spans.TotalResults)
	for _, s := range page.Spans.Data {
		require.Equal(t, "01010000000000000000000000000000", s.TraceID)
	}
	require.EqualValues(t, 2, h.page(t, theirs).Spans.TotalResults)
	require.Zero(t, h.page(t, theirs, "trace_id", "01010000000000000000000000000000").Spans.TotalResults)
}

func requireTheSameSpanIDsInTwoEnvironmentsAreTwoSpans(t *testing.T, h *collector) {
	t.Helper()
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")
	require.NoError(t, h.exportGRPC(t, ours, someTraces(1, 3)))
	require.NoError(t, h.exportGRPC(t, theirs, someTraces(1, 3)))
	require.EqualValues(t, 3, h.page(t, ours).Spans.TotalResults)
	require.EqualValues(t, 3, h.page(t, theirs).Spans.TotalResults)
}

func TestReservedAttributesCannotBeForged(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")

	// The attacker knows everything but the key: even the id of the environment.
	setup := must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", theirs, map[string]any{
		"external_id": "m", "evaluators": []string{"char-count"},
	})
	victim := setup["env_project_id"].(string)
	for _, level := range []string{"resource", "scope", "span"} {
		td := someTraces(9, 1)
		rs := td.ResourceSpans().At(0)
		ss := rs.ScopeSpans().At(0)
		attributes := map[string]func(k, v string){
			"resource": rs.Resource().Attributes().PutStr,
			"scope":    ss.Scope().Attributes().PutStr,
			"span":     ss.Spans().At(0).Attributes().PutStr,
		}[level]
		attributes("touchstone.environment.id", victim)
		attributes("touchstone.evaluations", "x")
		attributes("evaluation.char-count.char_count", "1000000")
		require.NoError(t, h.exportGRPC(t, ours, td), level)
	}
	require.Zero(t, h.page(t, theirs).Spans.TotalResults)
	page := h.page(t, ours)
	require.EqualValues(t, 1, page.Spans.TotalResults)
	for k := range page.Spans.Data[0].SpanAttributes {
		require.NotContains(t, k, "evaluation.")
		require.NotContains(t, k, "touchstone.")
	}
	for k := range page.Spans.Data[0].Resource {
		require.NotContains(t, k, "touchstone.")
	}
}

func TestCursorOfAnotherTenantIsRefused(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")
	require.NoError(t, h.exportGRPC(t, ours, someTraces(1, 3)))
	require.NoError(t, h.exportGRPC(t, theirs, someTraces(1, 3)))
	cursor := h.page(t, ours, "limit", "1").Spans.NextCursor
	require.NotEmpty(t, cursor)

	q := url.Values{"from_timestamp_sec": {"0"}, "limit": {"1"}, "cursor": {cursor}}.Encode()
	code, body := h.call(t, http.MethodGet, "/v2/warehouse/spans?"+q, theirs, nil)
	require.Equal(t, http.StatusBadRequest, code, "%s", body)
	code, _ = h.call(t, http.MethodGet, "/v2/warehouse/spans?"+q, ours, nil)
	require.Equal(t, http.StatusOK, code)
}

func TestSetupsOfAnotherTenantAreNotFound(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")
	setup := must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", ours, map[string]any{
		"external_id": "m", "evaluators": []string{"char-count"},
	})
	for _, name := range []string{"m", setup["id"].(string)} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			var body any
			if method == http.MethodPut {
				body = map[string]any{"evaluators": []string{"word-count"}}
			}
			code, _ := h.call(t, method, "/v2/auto-monitor-setups/"+name, theirs, body)
			require.Equal(t, http.StatusNotFound, code, "%s %s", method, name)
		}
	}
	require.NoError(t, h.exportGRPC(t, theirs, someTraces(1, 1)))
	require.NotContains(t, h.page(t, theirs).Spans.Data[0].SpanAttributes, "evaluation.char-count.char_count")
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	body, err := ptraceotlp.NewExportRequestFromTraces(someTraces(1, 1)).MarshalProto()
	require.NoError(t, err)

	for _, wrong := range []string{"", "tl_wrong", key + "x", key[:len(key)-1]} {
		code, _, _ := h.postOTLP(t, "/v1/traces", wrong, "application/x-protobuf", "", body)
		require.Equal(t, http.StatusUnauthorized, code)
		require.Equal(t, codes.Unauthenticated, status.Code(h.exportGRPC(t, wrong, someTraces(1, 1))))
		code, answer := h.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", wrong, nil)
		require.Equal(t, http.StatusUnauthorized, code)
		require.JSONEq(t, `{"error":"Unauthorized"}`, string(answer))
	}

	// The operator has no environment that spans could go to.
	code, _, _ := h.postOTLP(t, "/v1/traces", accessToken, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusForbidden, code)
	require.Equal(t, codes.PermissionDenied, status.Code(h.exportGRPC(t, accessToken, someTraces(1, 1))))
	// A key may not make organizations.
	code, answer := h.call(t, http.MethodPost, "/v2/organizations", key, map[string]any{"org_name": "x"})
	require.Equal(t, http.StatusForbidden, code)
	require.JSONEq(t, `{"error":"Not allowed to create organizations"}`, string(answer))

	require.Zero(t, h.page(t, key).Spans.TotalResults)
}

func TestGeneratedAccessTokenStaysTheSame(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	delete(h.Env, "TOUCHSTONE_ACCESS_TOKEN")
	h.start(t)
	file := filepath.Join(h.Dir, "access_token")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	first, err := os.ReadFile(file)
	require.NoError(t, err)
	token := string(first[:len(first)-1])
	require.Len(t, token, 43)
	code, _ := h.call(t, http.MethodPost, "/v2/organizations", token, map[string]any{"org_name": "x"})
	require.Equal(t, http.StatusCreated, code)
	h.stop()

	again := newCollector(t, h.Dir)
	delete(again.Env, "TOUCHSTONE_ACCESS_TOKEN")
	again.start(t)
	defer again.stop()
	code, _ = again.call(t, http.MethodPost, "/v2/organizations", token, map[string]any{"org_name": "y"})
	require.Equal(t, http.StatusCreated, code)
}

// Span attributes may hold anything, and the answer is still JSON that says
// exactly that.
func requireHostileTextComesBackAsItWent(t *testing.T, h *collector) {
	t.Helper()
	key := h.key(t, "ours")
	hostile := "100%_'\"\\`; DROP TABLE spans;--\n\t\u2028 \U0001F600 {{x}} ${env:HOME}"
	td := someTraces(1, 2)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	spans.At(0).Attributes().PutStr("note", hostile)
	spans.At(0).SetName(hostile)
	require.NoError(t, h.exportGRPC(t, key, td))

	for _, operator := range []string{"equals", "contains", "starts_with"} {
		page := h.page(t, key, "filters", filters(t, map[string]any{"id": "note", "operator": operator, "value": hostile}))
		require.EqualValues(t, 1, page.Spans.TotalResults, operator)
		require.Equal(t, hostile, page.Spans.Data[0].SpanAttributes["note"])
		require.Equal(t, hostile, page.Spans.Data[0].Name)
	}
	page := h.page(t, key, "span_name", hostile)
	require.EqualValues(t, 1, page.Spans.TotalResults)
	for _, wildcard := range []string{"%", "100%_'\"\\`; DROP TABLE spans;_", "_"} {
		page := h.page(t, key, "note", wildcard)
		require.Zero(t, page.Spans.TotalResults, wildcard)
	}
}

func TestMetricsAreAcceptedAndDropped(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	code, _, answer := h.postOTLP(t, "/v1/metrics", key, "application/json", "", []byte(`{"resourceMetrics":[]}`))
	require.Equal(t, http.StatusOK, code)
	require.True(t, json.Valid(answer))
	code, _, _ = h.postOTLP(t, "/v1/metrics", "tl_wrong", "application/json", "", []byte(`{"resourceMetrics":[]}`))
	require.Equal(t, http.StatusUnauthorized, code)
}

func firstSpan(td ptrace.Traces) ptrace.Span {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}
