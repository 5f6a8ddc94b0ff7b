// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/ui/e2e/browser"
)

// stored is how many spans the figures are measured over: TOUCHSTONE_UI_SPANS, or few.
func stored(b *testing.B) int {
	b.Helper()
	n, err := strconv.Atoi(os.Getenv("TOUCHSTONE_UI_SPANS"))
	if err != nil {
		return 10_000
	}
	return n
}

// many sends spans of the last hour, a thousand a request.
func many(b *testing.B, send func(ptrace.Traces), n int) {
	b.Helper()
	const each = 1000
	begin := time.Now().Add(-time.Hour)
	for first := 0; first < n; first += each {
		traces := ptrace.NewTraces()
		r := traces.ResourceSpans().AppendEmpty()
		r.Resource().Attributes().PutStr("service.name", "shop")
		spans := r.ScopeSpans().AppendEmpty().Spans()
		for i := first; i < min(first+each, n); i++ {
			s := spans.AppendEmpty()
			s.SetName([]string{"chat", "search", "rank", "answer"}[i%4])
			s.SetTraceID(pcommon.TraceID{3, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
			s.SetSpanID(pcommon.SpanID{3, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
			at := begin.Add(time.Duration(i) * time.Hour / time.Duration(n+1))
			s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
			s.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Duration(50+i%2000) * time.Millisecond)))
			a := s.Attributes()
			a.PutStr("gen_ai.provider.name", "openai")
			a.PutStr("gen_ai.request.model", []string{"gpt-4o", "gpt-4o-mini"}[i%2])
			a.PutStr("gen_ai.prompt.0.role", "user")
			a.PutStr("gen_ai.prompt.0.content", fmt.Sprintf("Where is my parcel, number %d? I asked before and nobody knew.", i))
			a.PutStr("gen_ai.completion.0.role", "assistant")
			a.PutStr("gen_ai.completion.0.content", "It is on its way and should be with you tomorrow.")
		}
		send(traces)
	}
}

// took is how long a page takes until an expression holds, in milliseconds by the
// page's own clock.
func took(p *browser.Page, does, holds string) float64 {
	return browser.Eval[float64](p, fmt.Sprintf(`new Promise((done) => { const begin = performance.now(); %s;
		const look = () => (%s) ? done(performance.now() - begin) : requestAnimationFrame(look); look() })`, does, holds))
}

// BenchmarkUI measures what docs/ui.md and the budgets are about: how soon lists and
// traces are there, how soon they answer, and what they keep in memory.
func BenchmarkUI(b *testing.B) {
	c := start(b)
	keys, err := c.Keys(b.Context(), "Acme", "prd")
	require.NoError(b, err)
	key := keys[0]
	n := stored(b)
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
	p.UntilTrue(rowsThere)
	for b.Loop() {
		var lists []float64
		for range 11 {
			p.Go(c.API + "/ui/spans")
			p.UntilTrue(rowsThere)
			lists = append(lists, browser.Eval[float64](p, `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/spans/search")).at(0).responseEnd`))
		}
		slices.Sort(lists)
		b.ReportMetric(lists[len(lists)/2], "list-ms")

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
			p.ByRole("link", "Spans").Click()
			p.UntilTrue(rowsThere)
			p.Back()
			p.UntilTrue(`document.querySelectorAll("[role=row]").length > 5`)
		}
		b.ReportMetric(100*float64(p.Heap())/first-100, "heap-growth-%")
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
