// SPDX-License-Identifier: Apache-2.0

package spans_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/benchtest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BenchmarkPages reads the newest 100 of 200,000 spans of two days, whole and in
// short, and one span in full.
func BenchmarkPages(b *testing.B) {
	const n, days = 200_000, 48 * time.Hour
	db, control := benchtest.Stores(b)
	begin := time.Now().Add(-days)
	made := spangen.New(spangen.Options{Seed: 1, Start: begin, Period: days / time.Duration(n)})
	env := made.Environments()[0]
	one := ""
	benchtest.Load(b, db, made, n, func(i int, of tenant.Environment, s *span.Span) {
		if of.ID == env.ID && i < n/2 {
			one = s.TraceID.String() + "/" + s.SpanID.String()
		}
	})
	cursors, err := query.NewCursors(make([]byte, query.CursorSecret))
	require.NoError(b, err)
	h := resttest.Handler(resttest.Server(b, env), (&spans.API{Records: queries.New(db, db, queries.Limits{}), Setups: store.Setups(control), Cursors: cursors}).Routes())
	from := begin.Unix()
	for _, call := range []struct{ name, method, path, body string }{
		{"whole", http.MethodGet, fmt.Sprintf("/v2/warehouse/spans?from_timestamp_sec=%d&sort_order=DESC&limit=100", from), ""},
		{"short", http.MethodPost, "/v2/warehouse/spans/search", fmt.Sprintf(`{"from_timestamp_sec":%d,"sort_order":"DESC","limit":100,"preview":200,"fields":["llm.request.model"]}`, from)},
		{"one", http.MethodGet, "/v2/warehouse/spans/" + one + "?max_text=4000", ""},
	} {
		b.Run(call.name, func(b *testing.B) {
			benchtest.Time(b, func() *httptest.ResponseRecorder { return resttest.Call(b, h, call.method, call.path, call.body) }, 50)
		})
	}
}

// BenchmarkGroups reads the newest 50 sessions and traces, and the second page of them, of the
// store that BenchmarkQueries of the embedded engine kept in TOUCHSTONE_BENCH_DIR.
func BenchmarkGroups(b *testing.B) {
	dir := os.Getenv("TOUCHSTONE_BENCH_DIR")
	if dir == "" {
		b.Skip("TOUCHSTONE_BENCH_DIR names no store")
	}
	db, err := duckdb.Open(b.Context(), duckdb.Config{Dir: dir, MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	cursors, err := query.NewCursors(make([]byte, query.CursorSecret))
	require.NoError(b, err)
	env := spangen.New(spangen.Options{Seed: 1}).Environments()[0]
	h := resttest.Handler(resttest.Server(b, env), (&spans.API{Records: queries.New(db, db, queries.Limits{}), Cursors: cursors}).Routes())
	for _, by := range []string{"session_id", "trace_id"} {
		call := func(cursor string) *httptest.ResponseRecorder {
			return resttest.Call(b, h, http.MethodPost, "/v2/warehouse/spans/group", fmt.Sprintf(`{"from_timestamp_sec":0,"group_by":%q,"cursor":%q}`, by, cursor))
		}
		var page struct {
			Rows []struct{}
			Next string `json:"next_cursor"`
		}
		require.NoError(b, json.Unmarshal(call("").Body.Bytes(), &page))
		require.Len(b, page.Rows, 50)
		for name, cursor := range map[string]string{"first page": "", "second page": page.Next} {
			b.Run(by+"/"+name, func(b *testing.B) {
				benchtest.Time(b, func() *httptest.ResponseRecorder { return call(cursor) }, 50)
			})
		}
	}
}
