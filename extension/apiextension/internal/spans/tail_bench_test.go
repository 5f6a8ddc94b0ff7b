// SPDX-License-Identifier: Apache-2.0

package spans_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/benchtest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BenchmarkTail reads 200 of the latest 20,000 spans to arrive, as a page does that
// shows them, among 200,000 of ten minutes.
func BenchmarkTail(b *testing.B) {
	const n, period = 200_000, 10 * time.Minute
	db, control := benchtest.Stores(b)
	made := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-period), Period: period / time.Duration(n)})
	env := made.Environments()[0]
	cursors, err := query.NewCursors(make([]byte, query.CursorSecret))
	require.NoError(b, err)
	h := resttest.Handler(resttest.Server(b, env), (&spans.API{Records: queries.New(db, db, queries.Limits{}), Setups: store.Setups(control), Cursors: cursors}).Routes())
	params := url.Values{"preview": {"200"}, "fields": {"llm.response.model", "llm.request.model"}}
	path := func() string { return "/v2/warehouse/spans/tail?" + params.Encode() }
	benchtest.Load(b, db, made, n, func(i int, _ tenant.Environment, s *span.Span) {
		if i == n-20_000 {
			var first struct {
				Next string `json:"next_cursor"`
			}
			require.NoError(b, json.Unmarshal(resttest.Call(b, h, http.MethodGet, path(), "").Body.Bytes(), &first))
			params.Set("cursor", first.Next)
		}
		s.Arrived = time.Now().UnixNano()
	})
	benchtest.Time(b, func() *httptest.ResponseRecorder { return resttest.Call(b, h, http.MethodGet, path(), "") }, 50)
}
