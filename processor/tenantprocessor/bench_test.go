// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const benchSpans = 100

// honest are the spans of a client that forges nothing.
func honest() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	for i := range 10 {
		rs.Resource().Attributes().PutStr(fmt.Sprint("resource.attribute.", i), "value")
	}
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for range benchSpans {
		s := spans.AppendEmpty()
		for i := range 25 {
			s.Attributes().PutStr(fmt.Sprint("gen_ai.attribute.", i), "value")
		}
	}
	return td
}

func TestHonestDataCostsNoAllocation(t *testing.T) {
	td, ctx := honest(), asEnvironment(t, "env-b")
	_, err := (&cutter{most: 1 << 20}).processTraces(ctx, td) // makes room for the stamp
	require.NoError(t, err)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { _, _ = (&cutter{most: 1 << 20}).processTraces(ctx, td) }), 2.0, "the stamp alone")
}

func BenchmarkProcessTraces(b *testing.B) {
	for name, c := range map[string]*cutter{"cutting": {most: 1 << 20}, "not cutting": {most: math.MaxInt}} {
		b.Run(name, func(b *testing.B) {
			td, ctx := honest(), asEnvironment(b, "env-b")
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.processTraces(ctx, td)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchSpans), "ns/span")
		})
	}
}
