// SPDX-License-Identifier: Apache-2.0

package monitors_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// endless is a span store that has a full page for every caller.
type endless struct {
	monitors.Records
	asked int
}

func (e *endless) Search(_ context.Context, _ tenant.Environment, q query.Query) (query.Page, error) {
	e.asked++
	page := query.Page{Spans: make([]span.Span, q.Limit), Total: 1 << 40, Next: &query.Position{}}
	for i := range page.Spans {
		page.Spans[i].TraceID = span.TraceID{1}
	}
	return page, nil
}

func TestPreviewIsBounded(t *testing.T) {
	t.Parallel()
	known := registry.New(evaluators.Catalog(), nil, nil)
	type shown struct {
		Spans, Matched int64
		Truncated      bool
	}
	tried := func(timeout time.Duration, selector string) (got shown, asked int) {
		spans := &endless{}
		a := &monitors.PreviewAPI{Records: spans, Evaluators: known, Timeout: timeout, Now: time.Now}
		h := resttest.Handler(resttest.Server(t, tenant.Environment{ID: "e"}), a.Routes())
		w := resttest.Call(t, h, http.MethodPost, "/v2/auto-monitor-setups/preview",
			`{"evaluators":["char-count"],"from_timestamp_sec":1,"selector":`+selector+`}`)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		return got, spans.asked
	}
	got, asked := tried(time.Hour, `[]`)
	require.Equal(t, 10, asked)
	require.EqualValues(t, 10_000, got.Spans)
	require.EqualValues(t, 10_000, got.Matched)
	require.True(t, got.Truncated)

	got, asked = tried(0, `[]`)
	require.Equal(t, 1, asked, "there is no time for more")
	require.True(t, got.Truncated)

	got, asked = tried(0, `[{"key":"a","source":"span_attributes","operator":"not_exists"}]`)
	require.Equal(t, 2, asked, "what the store left out is counted")
	require.EqualValues(t, 1<<40, got.Spans)
}
