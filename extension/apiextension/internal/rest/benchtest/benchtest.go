// SPDX-License-Identifier: Apache-2.0

// Package benchtest is what benchmarks of one resource begin and end with: stores full of
// spans, and how long calls took.
package benchtest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// Stores opens the embedded stores of a benchmark, which are closed when it ends.
func Stores(b *testing.B) (*duckdb.DB, *sqldb.DB) {
	b.Helper()
	spans, err := duckdb.Open(b.Context(), duckdb.Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, spans.Close()) })
	control, err := sqldb.Open(b.Context(), sqldb.Config{Path: filepath.Join(b.TempDir(), "control.db")})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, control.Close()) })
	return spans, control
}

// Load stores the next n spans that are made, with their evaluations. Each of them may
// be changed or noted before; i counts them from 0.
func Load(b *testing.B, w storetest.Writer, made *spangen.Generator, n int, each func(i int, env tenant.Environment, s *span.Span)) {
	b.Helper()
	for done := 0; done < n; {
		batch := make([]store.Record, min(1000, n-done))
		for i := range batch {
			env, s := made.Next()
			each(done+i, env, &s)
			batch[i] = store.Record{Environment: env, Span: s, Evaluations: made.Evaluations(&s)}
		}
		require.NoError(b, storetest.Write(b.Context(), w, batch))
		done += len(batch)
	}
}

// Time calls while b loops, and reports how large the last answer was, what a call took
// of processors on average, which what else the machine does changes little, and the
// times that so many percent of the calls took at most.
func Time(b *testing.B, call func() *httptest.ResponseRecorder, percent ...int) {
	b.Helper()
	var took []time.Duration
	size := 0
	before := usage.CPUTime()
	for b.Loop() {
		begun := time.Now()
		w := call()
		took = append(took, time.Since(begun))
		require.Equal(b, http.StatusOK, w.Code, w.Body)
		size = w.Body.Len()
	}
	spent := usage.CPUTime() - before
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(len(took)), "cpu-ms")
	slices.Sort(took)
	for _, p := range percent {
		b.ReportMetric(float64(took[len(took)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
	b.ReportMetric(float64(size), "bytes")
}
