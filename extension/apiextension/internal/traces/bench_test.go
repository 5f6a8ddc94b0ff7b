// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/traces"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// BenchmarkTrace reads traces of 14 and of 10,000 spans with all their texts and
// verdicts, among 100,000 spans of two days.
func BenchmarkTrace(b *testing.B) {
	const n, days = 100_000, 48 * time.Hour
	db, err := duckdb.Open(b.Context(), duckdb.Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	made := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-days), Period: days / time.Duration(n)})
	env := made.Environments()[0]
	sizes := map[span.TraceID]int{{14}: 14, {100}: 10_000}
	for done := 0; done < n; {
		batch := make([]store.Record, min(1000, n-done))
		for i := range batch {
			of, s := made.Next()
			if done >= n/2 && of.ID == env.ID {
				for id, left := range sizes {
					if left > 0 {
						s.TraceID, sizes[id] = id, left-1
						break
					}
				}
			}
			batch[i] = store.Record{Environment: of, Span: s, Evaluations: made.Evaluations(&s)}
		}
		require.NoError(b, storetest.Write(b.Context(), db, batch))
		done += len(batch)
	}
	h := resttest.Handler(resttest.Server(b, env), (&traces.API{Records: db}).Routes())
	for _, size := range []byte{14, 100} {
		id := span.TraceID{size}
		require.Zero(b, sizes[id])
		b.Run(fmt.Sprintf("of %s", map[byte]string{14: "14", 100: "10,000"}[size]), func(b *testing.B) {
			var took []time.Duration
			bytes := 0
			for b.Loop() {
				begun := time.Now()
				w := resttest.Call(b, h, http.MethodGet, "/v2/traces/"+id.String(), "")
				took = append(took, time.Since(begun))
				require.Equal(b, http.StatusOK, w.Code, w.Body)
				bytes = w.Body.Len()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}
