// SPDX-License-Identifier: Apache-2.0

package spans_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/benchtest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BenchmarkTrace reads traces of 14 and of 10,000 spans with all their texts and
// verdicts, among 100,000 spans of two days.
func BenchmarkTrace(b *testing.B) {
	const n, days = 100_000, 48 * time.Hour
	db, _ := benchtest.Stores(b)
	made := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-days), Period: days / time.Duration(n)})
	env := made.Environments()[0]
	sizes := map[span.TraceID]int{{14}: 14, {100}: 10_000}
	benchtest.Load(b, db, made, n, func(i int, of tenant.Environment, s *span.Span) {
		if i < n/2 || of.ID != env.ID {
			return
		}
		for id, left := range sizes {
			if left > 0 {
				s.TraceID, sizes[id] = id, left-1
				return
			}
		}
	})
	h := resttest.Handler(resttest.Server(b, env), (&spans.TracesAPI{Records: queries.New(db, nil, queries.Limits{}), Shared: rest.Shared{Memory: fair.NewBudget(256<<20, time.Minute, nil).Part(256 << 20)}}).Routes())
	for _, size := range []byte{14, 100} {
		id := span.TraceID{size}
		require.Zero(b, sizes[id])
		b.Run(fmt.Sprintf("of %s", map[byte]string{14: "14", 100: "10,000"}[size]), func(b *testing.B) {
			benchtest.Time(b, func() *httptest.ResponseRecorder {
				return resttest.Call(b, h, http.MethodGet, "/v2/traces/"+id.String(), "")
			}, 50)
		})
	}
}
