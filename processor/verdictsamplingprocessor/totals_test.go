// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// totalCount is how many totals are estimated.
const totalCount = 20

// models and services that spans of the population have, the first ones more often.
var (
	models   = []string{"small", "medium", "large", "huge", "tiny"}
	services = []string{"shop", "search", "support", "billing"}
)

// totalsOf adds what a span counts for to totals: spans by model and by service, tokens
// by model and of all, spans that fail, spans over a second, and seconds.
func totalsOf(totals *[totalCount]float64, service string, s ptrace.Span, weight float64) {
	attribute := func(key string) pcommon.Value { v, _ := s.Attributes().Get(key); return v }
	at := 0
	add := func(x float64) {
		totals[at] += weight * x
		at++
	}
	is := func(holds bool) float64 {
		if holds {
			return 1
		}
		return 0
	}
	model, tokens := attribute("model").Str(), float64(attribute("tokens").Int())
	for _, m := range models {
		add(is(m == model))
		add(is(m == model) * tokens)
	}
	for _, name := range services {
		add(is(name == service))
	}
	seconds := s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime()).Seconds()
	verdict := attribute("evaluation.pii-detector.has_pii")
	add(is(verdict.Bool()))
	add(is(!verdict.Bool()))
	add(is(seconds > 1))
	add(seconds)
	add(tokens)
	add(tokens * is(seconds > 1))
}

// population makes a request after the other, each of 200 spans of 40 traces, of which
// one in a hundred spans fails. Spans of a trace are alike.
type population struct {
	r              *rand.Rand
	requests, each int
}

func (p *population) request(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	service := services[int(math.Floor(float64(len(services))*math.Pow(p.r.Float64(), 2)))]
	rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, "e")
	rs.Resource().Attributes().PutStr("service.name", service)
	list := rs.ScopeSpans().AppendEmpty().Spans()
	list.EnsureCapacity(p.each)
	for i := 0; i < p.each; {
		id := traceID(uint32(n), p.r.Uint64()&highRandomness)
		id[5], id[6] = byte(i>>8), byte(i)
		model := models[int(math.Floor(float64(len(models))*math.Pow(p.r.Float64(), 2)))]
		// Whole traces fail, five spans at a time, so that one span in a hundred is in one.
		fails := p.r.Float64() < 0.01
		for range 5 {
			s := list.AppendEmpty()
			s.SetTraceID(id)
			s.SetSpanID(pcommon.SpanID{byte(i >> 8), byte(i), 1})
			s.SetStartTimestamp(1)
			s.SetEndTimestamp(1 + pcommon.Timestamp(p.r.ExpFloat64()*8e8))
			s.Attributes().PutStr("model", model)
			s.Attributes().PutInt("tokens", int64(100+p.r.ExpFloat64()*1000))
			e := passed
			if fails {
				e = flagged
			}
			monitor.Carry(s.Attributes(), []eval.Evaluation{e})
			i++
		}
	}
	return td
}

// estimate holds totals as they are, and as spans that were kept tell them.
type estimate struct {
	truth, found, variance [totalCount]float64
	spans, kept            int
	failures, keptFailures int
}

// weightOf returns how many spans one that was kept stands for, by nothing but what is
// written on it, as docs/opentelemetry.md says.
func weightOf(s ptrace.Span) float64 {
	var digits string
	if _, err := fmt.Sscanf(s.TraceState().AsRaw(), "ot=th:%s", &digits); err != nil {
		panic(err)
	}
	rejected, err := strconv.ParseUint((digits + "00000000000000")[:14], 16, 64)
	if err != nil {
		panic(err)
	}
	return math.Exp2(56) / (math.Exp2(56) - float64(rejected))
}

// run samples a population, and estimates its totals and how far off they may be: traces
// are kept or not as a whole, so their variance is that of sums over traces.
func (p *population) run(t *testing.T) *estimate {
	t.Helper()
	cfg := failuresAndSome()
	cfg.Answer, cfg.MaxTraces, cfg.MaxMiB = answerHeld, maxTracesBound, 1<<10
	b := start(t, cfg, nil)
	var e estimate
	for n := range p.requests {
		td := p.request(n)
		service, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("service.name")
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			totalsOf(&e.truth, service.Str(), s, 1)
			e.spans++
			e.failures += failure(s)
		}
		require.NoError(t, b.ConsumeTraces(t.Context(), td))
		if n%100 == 99 {
			b.decide()
		}
	}
	require.NoError(t, b.Shutdown(t.Context()))
	for _, td := range b.sent.AllTraces() {
		service, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("service.name")
		ofTrace, weights := map[pcommon.TraceID]*[totalCount]float64{}, map[pcommon.TraceID]float64{}
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			if ofTrace[s.TraceID()] == nil {
				ofTrace[s.TraceID()] = new([totalCount]float64)
			}
			weights[s.TraceID()] = weightOf(s)
			totalsOf(ofTrace[s.TraceID()], service.Str(), s, 1)
			e.kept++
			e.keptFailures += failure(s)
		}
		for id, totals := range ofTrace {
			w := weights[id]
			for i, x := range totals {
				e.found[i] += w * x
				e.variance[i] += w * (w - 1) * x * x // Horvitz and Thompson, of independent traces
			}
		}
	}
	return &e
}

// within reports whether a total lies within the interval that has it 95 times of 100. A
// part in a million is for rounding.
func (e *estimate) within(i int) bool {
	return math.Abs(e.found[i]-e.truth[i]) <= 1.96*math.Sqrt(e.variance[i])+1e-6*e.truth[i]
}

func failure(s ptrace.Span) int {
	if verdict, _ := s.Attributes().Get("evaluation.pii-detector.has_pii"); verdict.Bool() {
		return 1
	}
	return 0
}

// Totals that are estimated from what was kept are as often within their interval of 95 %
// as such an interval says: no total is biased, and none is surer than it may be.
func TestTotalsLieInTheirIntervals(t *testing.T) {
	t.Parallel()
	const runs = 100
	var within [totalCount]int
	all := 0
	var off, squares [totalCount]float64 // sums of distances
	for seed := range uint64(runs) {
		e := (&population{r: rand.New(rand.NewPCG(seed, 56)), requests: 80, each: 200}).run(t)
		require.Equal(t, e.failures, e.keptFailures)
		for i := range totalCount {
			distance := e.found[i] - e.truth[i]
			off[i] += distance
			squares[i] += distance * distance
			if e.within(i) {
				within[i]++
				all++
			}
		}
	}
	t.Logf("%.2f %% of totals lie within their interval", 100*float64(all)/runs/totalCount)
	// What is found in so many runs is off by three standard errors or less.
	require.Greater(t, float64(all)/runs/totalCount, 0.94)
	for i := range totalCount {
		require.Greater(t, float64(within[i])/runs, 0.95-3*math.Sqrt(0.95*0.05/runs), "total %d", i)
		require.LessOrEqual(t, math.Abs(off[i]), 3*math.Sqrt(squares[i]), "total %d is biased", i)
	}
}

// Of a million spans, of which one in a hundred fails, all failures are kept in at most
// 8 % of the volume.
func TestAMillionSpans(t *testing.T) {
	t.Parallel()
	const spans = 1_000_000
	e := (&population{r: rand.New(rand.NewPCG(1, 56)), requests: spans / 200, each: 200}).run(t)
	require.Equal(t, spans, e.spans)
	require.InDelta(t, spans/100, e.failures, spans/1000)
	require.Equal(t, e.failures, e.keptFailures)
	require.LessOrEqual(t, e.kept, spans*8/100)
	in := 0
	for i := range totalCount {
		if e.within(i) {
			in++
		}
	}
	t.Logf("%.2f %% of the spans are kept, all %d failures among them; %d of %d totals lie within their interval",
		100*float64(e.kept)/spans, e.failures, in, totalCount)
	require.GreaterOrEqual(t, in, totalCount-3)
}
