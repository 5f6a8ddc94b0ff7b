// SPDX-License-Identifier: Apache-2.0

package spans_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// BenchmarkPages reads the newest 100 of 200,000 spans of two days, whole and in
// short, and one span in full.
func BenchmarkPages(b *testing.B) {
	const n, days = 200_000, 48 * time.Hour
	db, err := duckdb.Open(b.Context(), duckdb.Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	control, err := sqldb.Open(b.Context(), sqldb.Config{Path: filepath.Join(b.TempDir(), "control.db")})
	require.NoError(b, err)
	defer func() { require.NoError(b, control.Close()) }()
	begin := time.Now().Add(-days)
	made := spangen.New(spangen.Options{Seed: 1, Start: begin, Period: days / time.Duration(n)})
	env := made.Environments()[0]
	one := ""
	for done := 0; done < n; {
		batch := make([]store.Record, min(1000, n-done))
		for i := range batch {
			of, s := made.Next()
			batch[i] = store.Record{Environment: of, Span: s, Evaluations: made.Evaluations(&s)}
			if of.ID == env.ID && done < n/2 {
				one = s.TraceID.String() + "/" + s.SpanID.String()
			}
		}
		require.NoError(b, storetest.Write(b.Context(), db, batch))
		done += len(batch)
	}
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
			var took []time.Duration
			size := 0
			for b.Loop() {
				begun := time.Now()
				w := resttest.Call(b, h, call.method, call.path, call.body)
				took = append(took, time.Since(begun))
				require.Equal(b, http.StatusOK, w.Code, w.Body)
				size = w.Body.Len()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
