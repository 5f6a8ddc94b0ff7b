// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"fmt"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestStats(t *testing.T) {
	g := New(Options{Seed: 1})
	const n = 20000
	var llm, attrs, text, res, av, pk, other int
	var all []byte
	traces := map[span.TraceID]int{}
	for range n {
		_, s := g.Next()
		traces[s.TraceID]++
		if s.Vendor != "" { llm++; attrs += len(s.Attributes) }
		for _, a := range s.Attributes { av += len(a.Key)+len(a.Value); if a.Key == "traceloop.entity.input" || a.Key == "traceloop.entity.output" { av -= len(a.Value) } }
		for _, a := range s.Resource { res += len(a.Key)+len(a.Value) }
		for _, l := range []span.Attributes{s.Prompts, s.Completions} { for _, a := range l { pk += len(a.Key); text += len(a.Value); all = append(all, a.Value...) } }
		text += len(s.Input)+len(s.Output); all = append(all, s.Input...); all = append(all, s.Output...)
		other += len(s.Name)+len(s.Kind)+len(s.Service)+len(s.ScopeName)+len(s.ScopeVersion)+len(s.StatusCode)+24+8+16
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(3)))
	require.NoError(t, err)
	z := e.EncodeAll(all, nil)
	fmt.Println("llm", float64(llm)/n, "attrs/llm", attrs/llm, "attr bytes", av/n, "res", res/n, "text", text/n, "msg keys", pk/n, "other", other/n, "total", (av+res+text+pk+other)/n, "ratio", float64(len(all))/float64(len(z)), "spans/trace", n/len(traces))
}
