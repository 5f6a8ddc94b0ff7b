// SPDX-License-Identifier: Apache-2.0

package spans_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
