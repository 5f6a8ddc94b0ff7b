// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// stored is how many spans the figures are measured over: TOUCHSTONE_UI_SPANS, or few.
func stored() int { return setting("TOUCHSTONE_UI_SPANS", 10_000) }

// setting returns a number from the environment, or what it is otherwise.
func setting(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// many sends spans of the last hour, a thousand a request.
func many(b *testing.B, send func(ptrace.Traces), n int) {
	b.Helper()
	const each = 1000
	begin := time.Now().Add(-time.Hour)
	for first := 0; first < n; first += each {
		send(someSpans(first, min(first+each, n), func(i int) time.Time { return begin.Add(time.Duration(i) * time.Hour / time.Duration(n+1)) }))
	}
}

// someSpans makes spans by their number, from one to before another, that begin at times.
func someSpans(from, to int, begins func(i int) time.Time) ptrace.Traces {
	traces := ptrace.NewTraces()
	r := traces.ResourceSpans().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	spans := r.ScopeSpans().AppendEmpty().Spans()
	for i := from; i < to; i++ {
		s := spans.AppendEmpty()
		s.SetName([]string{"chat", "search", "rank", "answer"}[i%4])
		s.SetTraceID(pcommon.TraceID{3, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
		s.SetSpanID(pcommon.SpanID{3, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
		at := begins(i)
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Duration(50+i%2000) * time.Millisecond)))
		a := s.Attributes()
		a.PutStr("gen_ai.provider.name", "openai")
		a.PutStr("gen_ai.request.model", []string{"gpt-4o", "gpt-4o-mini"}[i%2])
		a.PutStr("gen_ai.prompt.0.role", "user")
		a.PutStr("gen_ai.prompt.0.content", fmt.Sprintf("Where is my parcel, number %d? I asked before in vain.", i))
		a.PutStr("gen_ai.completion.0.role", "assistant")
		a.PutStr("gen_ai.completion.0.content", "It is on its way and should be with you tomorrow.")
	}
	return traces
}

// arriving sends so many spans of now a second until stop is called, which returns how many
// it sent, and how many a second.
func arriving(b *testing.B, send func(ptrace.Traces) error, first, perSecond int) (stop func() (sent int, rate float64)) {
	b.Helper()
	const requests = 20 // a second
	done, ended := make(chan struct{}), make(chan int)
	began := time.Now()
	go func() {
		sent := 0
		defer func() { ended <- sent }()
		pace := time.NewTicker(time.Second / requests)
		defer pace.Stop()
		for perSecond > 0 {
			select {
			case <-pace.C:
			case <-done:
				return
			}
			// What a slow answer held up is made up for.
			due := int(time.Since(began).Seconds()*float64(perSecond)) - sent
			if err := send(someSpans(first+sent, first+sent+min(due, 2000), func(int) time.Time { return time.Now() })); err != nil {
				b.Error(err)
			}
			sent += min(due, 2000)
		}
		<-done
	}()
	return func() (int, float64) {
		close(done)
		sent := <-ended
		return sent, float64(sent) / time.Since(began).Seconds()
	}
}

// took is how long a page takes until an expression holds, in milliseconds by the
// page's own clock.
func took(p *browser.Page, does, holds string) float64 {
	return browser.Eval[float64](p, fmt.Sprintf(`new Promise((done) => { const begin = performance.now(); %s;
		const look = () => (%s) ? done(performance.now() - begin) : requestAnimationFrame(look); look() })`, does, holds))
}

// median returns the middle one of some figures.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkUI measures what docs/ui.md and the budgets are about: how soon lists, verdicts
// and traces are there, how soon they answer, what they keep in memory, and how long the
// routes behind them take, while TOUCHSTONE_UI_RATE spans a second arrive.
func BenchmarkUI(b *testing.B) {
	c := start(b)
	keys, err := c.Keys(b.Context(), "Acme", "prd")
	require.NoError(b, err)
	key := keys[0]
	n := stored()
	_, err = testbed.Ask[any](b.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "all", "evaluators": []string{"word-count", "pii-detector"}})
	require.NoError(b, err)
	many(b, func(t ptrace.Traces) { export(b, c, key, t) }, n)
	steps := make([]step, 10_000)
	for i := range steps {
		steps[i] = step{
			name: fmt.Sprintf("step %d", i+1), above: i / 3, from: time.Duration(i) * time.Millisecond, took: 5 * time.Second,
			attributes: map[string]any{"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Where is my parcel?", "gen_ai.completion.0.content": "On its way."},
		}
	}
	sendTrace(b, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(b, c, key, n+len(steps))
	p := open(b, c, "/ui/spans")
	signIn(b, p, key)
	const rowsThere = `document.querySelectorAll("table.spanlist tbody tr:not(.gap)").length > 5`
	const figuresThere = `document.querySelectorAll("[aria-label=Verdicts] a").length > 1`
	p.UntilTrue(rowsThere)
	for b.Loop() {
		stop := arriving(b, func(t ptrace.Traces) error { return deliver(c, key, t) }, 1<<30, setting("TOUCHSTONE_UI_RATE", 0))
		var lists, figures []float64
		for range 11 {
			p.Go(c.API + "/ui/spans")
			p.UntilTrue(rowsThere)
			lists = append(lists, browser.Eval[float64](p, `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/spans/search")).at(0).responseEnd`))
			p.Go(c.API + "/ui/verdicts?t=1h")
			p.UntilTrue(figuresThere)
			figures = append(figures, browser.Eval[float64](p, `Math.max(...performance.getEntriesByType("resource").filter((e) => e.name.includes("/v2/")).map((e) => e.responseEnd))`))
		}
		b.ReportMetric(median(lists), "list-ms")
		b.ReportMetric(median(figures), "verdicts-ms")

		p.Go(c.API + "/ui/traces/" + traceOf(1).String())
		p.UntilTrue(`document.querySelectorAll("[role=row]").length > 5`)
		b.ReportMetric(browser.Eval[float64](p, `(() => { const e = performance.getEntriesByType("resource").find((e) => e.name.includes("/v2/traces/")); return e.responseEnd - e.startTime })()`), "trace-api-ms")
		b.ReportMetric(took(p, `document.querySelector("[role=treegrid]").scrollTop = 1e5`, `[...document.querySelectorAll("[role=row]")].some((r) => { const n = Number(r.getAttribute("aria-rowindex")); return n > 3000 && n < 3400 })`), "jump-ms")
		b.ReportMetric(browser.Eval[float64](p, `new Promise((done) => { document.querySelector("[role=row][tabindex='0']").focus(); const begin = performance.now(); let left = 100; const turn = new MessageChannel();
			const press = () => { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true}));
				--left > 0 ? turn.port2.postMessage(0) : requestAnimationFrame(() => done(performance.now() - begin)) }; turn.port1.onmessage = press; press() })`), "100-keys-ms")

		b.ReportMetric(float64(opened(b, p, 200))/1e6, "heap-MB")
		first := float64(p.Heap())
		for range 20 {
			p.Press("gs")
			p.UntilTrue(rowsThere)
			p.Back()
			p.UntilTrue(`document.querySelectorAll("[role=row]").length > 5`)
		}
		b.ReportMetric(100*float64(p.Heap())/first-100, "heap-growth-%")
		routes(b, c, key) // at the end: who asked much comes after what is stored
		sent, rate := stop()
		b.ReportMetric(float64(sent), "arrived")
		b.ReportMetric(rate, "arriving/s")
	}
}

// routes measures the routes behind the screens.
func routes(b *testing.B, c *testbed.Collector, key string) {
	b.Helper()
	hour := time.Now().Add(-time.Hour).Unix()
	for _, x := range []struct {
		name, method, path string
		body               map[string]any
	}{
		{"rows", http.MethodPost, "/v2/warehouse/spans/search", map[string]any{"from_timestamp_sec": 0, "limit": 50, "preview": 200}},
		{"chart-hour", http.MethodPost, "/v2/warehouse/spans/aggregate", map[string]any{"from_timestamp_sec": hour, "step_sec": 60, "measures": []string{"count", "errors", "duration_p95"}}},
		{"chart-all", http.MethodPost, "/v2/warehouse/spans/aggregate", map[string]any{"from_timestamp_sec": hour - 82_800, "step_sec": 3600, "group_by": []string{"name"}, "measures": []string{"count", "errors", "duration_p95"}}},
		{"fields", http.MethodGet, "/v2/warehouse/fields?from_timestamp_sec=0", nil},
		{"verdict-figures", http.MethodPost, "/v2/metrics/aggregate", map[string]any{"from_timestamp_sec": hour, "step_sec": 60, "evaluator": "pii-detector", "output": "has_pii", "measures": []string{"count", "share_true"}}},
		{"evaluations", http.MethodPost, "/v2/evaluations/aggregate", map[string]any{"from_timestamp_sec": hour, "step_sec": 60, "measures": []string{"count"}}},
	} {
		var took []float64
		for range 21 {
			began := time.Now()
			_, err := testbed.Ask[any](b.Context(), c, x.method, x.path, key, x.body)
			require.NoError(b, err, x.path)
			took = append(took, time.Since(began).Seconds()*1000)
		}
		b.ReportMetric(median(took), x.name+"-ms")
	}
}

// opened opens spans of a trace one after the other, and returns what the page's
// scripts hold after it, in bytes.
func opened(b *testing.B, p *browser.Page, spans int) int64 {
	b.Helper()
	for range spans {
		p.Press("j")
		p.UntilTrue(`document.querySelector("[aria-label=Span]")?.getAttribute("aria-busy") === "false"`)
	}
	return p.Heap()
}
