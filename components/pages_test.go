// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// Spans past their environment's retention are not returned, nor counted.
func requireRetentionHidesOldSpans(t *testing.T, h *collector) {
	t.Helper()
	made := must[struct {
		Environments []struct {
			APIKey string `json:"api_key"`
		} `json:"environments"`
	}](t, h, http.MethodPost, "/v2/organizations", accessToken, map[string]any{"org_name": "short", "retention_hours": 1})
	key := made.Environments[0].APIKey
	td := someTraces(1, 2)
	old := time.Now().Add(-61 * time.Minute)
	firstSpan(td).SetStartTimestamp(timestamp(old))
	firstSpan(td).SetEndTimestamp(timestamp(old))
	require.NoError(t, h.exportGRPC(t, key, td))
	page := h.page(t, key)
	require.EqualValues(t, 1, page.Spans.TotalResults)
	require.Equal(t, "chat 1", page.Spans.Data[0].Name)
}

// Paging by any key, in either order, while spans go on coming in, neither
// loses nor repeats a span that was there at the first page.
func requirePagingWhileSpansComeIn(t *testing.T, h *collector) {
	t.Helper()
	key := h.key(t, "ours")
	const there, seenAmongNew = 24, 10
	td := someTraces(1, there)
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.SetName("name " + strconv.Itoa(i%3)) // many equal sort values
		s.Attributes().PutInt("gen_ai.usage.prompt_tokens", int64(i%4))
		s.Attributes().PutStr("traceloop.workflow.name", "workflow "+strconv.Itoa(i%2))
		if i%5 == 0 {
			s.Attributes().Remove("gen_ai.usage.completion_tokens")
			s.Attributes().Remove("gen_ai.usage.prompt_tokens") // sorts below every number
		}
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	later := byte(100)
	for _, by := range []string{
		"timestamp", "duration_ms", "duration", "span_name", "trace_id", "total_tokens", "llm_usage_total_tokens",
		"platform_workflow_name", "traceloop_workflow_name", "platform_entity_name", "llm_response_model",
	} {
		for _, order := range []string{"ASC", "desc"} {
			seen := map[string]int{}
			var last *testbed.Span
			for cursor := ""; ; {
				params := []string{"sort_by", by, "sort_order", order, "limit", "7"}
				if cursor != "" {
					params = append(params, "cursor", cursor)
				}
				page := h.page(t, key, params...)
				require.LessOrEqual(t, len(page.Spans.Data), 7)
				require.Equal(t, len(page.Spans.Data), page.Spans.PageSize)
				for i := range page.Spans.Data {
					s := &page.Spans.Data[i]
					if last != nil && by == "total_tokens" {
						requireOrdered(t, order, last, s)
					}
					seen[s.SpanID]++
					last = s
				}
				if len(seen) < seenAmongNew { // new ones, before and behind the position
					require.NoError(t, h.exportGRPC(t, key, someTraces(later, 1)))
					later++
				}
				if cursor = page.Spans.NextCursor; cursor == "" {
					break
				}
			}
			for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				require.Equal(t, 1, seen[s.SpanID().String()], "%s %s", by, order)
			}
			for id, n := range seen {
				require.Equal(t, 1, n, "%s %s %s", by, order, id)
			}
		}
	}
}

// A sort value of any length must not make a cursor that no URL can carry.
func TestPagingByVeryLongNames(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	td := someTraces(1, 5)
	long := strings.Repeat("ü", 100_000)
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.SetName(long + strconv.Itoa(i))
		s.Attributes().PutStr("traceloop.workflow.name", long)
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	for _, by := range []string{"span_name", "platform_workflow_name"} {
		seen := map[string]bool{}
		params := []string{"sort_by", by, "limit", "2"}
		for page := h.page(t, key, params...); ; page = h.page(t, key, append(params, "cursor", page.Spans.NextCursor)...) {
			require.Less(t, len(page.Spans.NextCursor), 4096)
			for _, s := range page.Spans.Data {
				require.False(t, seen[s.SpanID])
				seen[s.SpanID] = true
			}
			if page.Spans.NextCursor == "" {
				break
			}
		}
		require.Len(t, seen, 5)
	}
}

func requireOrdered(t *testing.T, order string, a, b *testbed.Span) {
	t.Helper()
	tokens := func(s *testbed.Span) int {
		n, err := strconv.Atoi(s.SpanAttributes["llm.usage.total_tokens"])
		if err != nil {
			return -1
		}
		return n
	}
	if order == "ASC" {
		require.LessOrEqual(t, tokens(a), tokens(b))
	} else {
		require.GreaterOrEqual(t, tokens(a), tokens(b))
	}
}

func TestOpenAPIDocumentIsServed(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	code, body := h.call(t, http.MethodGet, "/openapi.json", "", nil)
	require.Equal(t, http.StatusOK, code)
	var doc struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(body, &doc))
	require.Equal(t, "3.1", doc.OpenAPI[:3])
	require.Contains(t, doc.Paths, "/v2/evaluators/char-count/execute")
	require.Contains(t, doc.Paths["/v2/warehouse/spans"], "get")
}
