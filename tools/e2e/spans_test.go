// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// sent is a span that an SDK sends.
type sent struct {
	name, service, model, output string
	failed                       bool
	ago                          time.Duration
}

// conversation is some traffic of a shop.
func conversation(n int) []sent {
	outputs := []string{
		"You can return it within 30 days, as long as the box has not been opened.", `{"hits":[{"id":17,"title":"Blue kettle"}]}`,
		"Your parcel is on its way and should be with you tomorrow.", "I am sorry, I could not find this order.",
	}
	list := make([]sent, n)
	for i := range list {
		list[i] = sent{
			name: "chat", service: "shop", model: "gpt-4o", output: outputs[i%len(outputs)],
			failed: i%9 == 4, ago: time.Duration(i)*time.Second + time.Second,
		}
		if i%4 == 1 {
			list[i].name, list[i].model = "search", ""
		}
		if i%5 == 0 {
			list[i].service, list[i].model = "bot", "gpt-4o-mini"
		}
	}
	return list
}

// send sends spans over OTLP/gRPC.
func send(t *testing.T, c *testbed.Collector, key string, spans ...sent) {
	t.Helper()
	traces := ptrace.NewTraces()
	for i, s := range spans {
		r := traces.ResourceSpans().AppendEmpty()
		r.Resource().Attributes().PutStr("service.name", s.service)
		span := r.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		span.SetName(s.name)
		span.SetTraceID(pcommon.TraceID{1, 2, 3, byte(i >> 8), byte(i)})
		span.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
		begin := time.Now().Add(-s.ago)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(begin))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(begin.Add(time.Duration(i*37+84) * time.Millisecond)))
		if s.failed {
			span.Status().SetCode(ptrace.StatusCodeError)
		}
		a := span.Attributes()
		a.PutStr("gen_ai.provider.name", "openai")
		a.PutStr("gen_ai.request.model", s.model)
		a.PutInt("gen_ai.usage.input_tokens", int64(i*13+100))
		a.PutInt("gen_ai.usage.output_tokens", int64(i*3+20))
		a.PutStr("traceloop.entity.output", s.output)
	}
	export(t, c, key, traces)
}

func rows(p *browser.Page) int {
	return browser.Eval[int](p, `document.querySelectorAll("tbody tr:not(.gap)").length`)
}

// toTheEnd scrolls to the end of what is loaded.
func toTheEnd(p *browser.Page) {
	browser.Eval[any](p, `window.scrollTo(0, document.documentElement.scrollHeight)`)
}

func TestSpans(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "all", "evaluators": []string{"char-count", "faithfulness"},
		"selector": []map[string]any{{"key": "service.name", "source": "resource_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("No span has arrived in this environment yet.")
	p.Text("OTEL_EXPORTER_OTLP_ENDPOINT=")
	checkAccessible(t, p, "no spans")

	send(t, c, key, conversation(120)...)
	p.Text("120 spans") // the first ones come by themselves
	p.Text("100 of 120 loaded")
	p.Text("char-count char_count = ")
	require.Less(t, rows(p), 60, "only what is seen is in the page")
	require.Equal(t, "121", browser.Eval[string](p, `document.querySelector("table.spanlist").getAttribute("aria-rowcount")`))
	p.Until("the rest", func() bool {
		toTheEnd(p)
		return browser.Eval[bool](p, `document.body.innerText.includes("120 of 120 loaded") && document.querySelector("[aria-rowindex='121']") !== null`)
	})
	require.Less(t, rows(p), 60)
	browser.Eval[any](p, `window.scrollTo(0, 0)`)
	p.UntilTrue(`document.querySelector("[aria-rowindex='2']") !== null`)
	p.Text("skipped: missing input")

	before := p.URL()
	p.Press("/")
	p.ByRole("combobox", "Field").Paste("service_name")
	p.UntilTrue(`[...document.querySelectorAll("datalist option")].some((o) => o.value === "gen_ai.usage.input_tokens")`)
	p.UntilTrue(`[...document.querySelectorAll("datalist option")].some((o) => o.value === "bot")`)
	p.ByRole("combobox", "Value").Paste("bot")
	p.Press("\r")
	p.Text("24 spans")
	filtered := p.URL()
	require.Contains(t, filtered, "filters="+url.QueryEscape(`[{"id":"service_name","operator":"equals","value":"bot"}]`))
	page, err := testbed.Ask[testbed.Page](t.Context(), c, http.MethodGet, fmt.Sprintf("/v2/warehouse/spans?from_timestamp_sec=%d&service_name=bot", time.Now().Unix()-3600), key, nil)
	require.NoError(t, err)
	require.EqualValues(t, 24, page.Spans.TotalResults, "as the API says")
	checkAccessible(t, p, "filtered spans")
	p.Reload()
	p.Text("24 spans")
	p.Back()
	p.Text("120 spans")
	require.Equal(t, before, p.URL())

	browser.Eval[any](p, `[...document.querySelectorAll("tbody tr:not(.gap)")].find((r) => r.querySelector(".name").innerText.includes("search")).querySelector(".more-of").click()`)
	p.ByRole("link", "Filter by this value of span_name").Click()
	p.Text("is search")
	p.UntilTrue(`[...document.querySelectorAll("tbody tr:not(.gap)")].every((r) => r.innerText.includes("search"))`)
	p.ByRole("button", "Remove the filter of span_name").Click()
	p.Text("120 spans")

	walkSpans(t, p)
	p.Go(c.API + "/ui/spans?filters=" + url.QueryEscape(`[{"id":"duration","operator":"greater_than","value":"a while"}]`))
	p.ByRole("alert", "")
	p.Text("filters")
	p.Go(c.API + "/ui/spans?filters=%5B%7B&t=never")
	p.Text("This address has a mistake in")
	p.Text("120 spans")
	p.ByRole("combobox", "Period").Choose("15m")
	p.UntilTrue(`location.search.includes("t=15m")`)
	p.Text("120 spans")
	p.Go(c.API + "/ui/spans?from=1000&to=2000")
	p.Text("No spans in this period.")
	p.ByRole("button", "Last 24 h: 120 match").Click()
	p.Text("120 spans")
	p.UntilTrue(`location.search.includes("t=24h")`)
	p.Go(c.API + "/ui/spans?t=15m&from=1000&to=2000&filters=" + url.QueryEscape(`[{"id":"service_name","operator":"equals","value":"bot"}]`))
	p.Text("No span of this period matches.")
	p.ByRole("button", "Last 24 h: 24 match").Click()
	p.Text("24 spans")
}

// walkSpans sorts, adds a column, filters by a verdict, and goes by keys from a
// row to its trace and back.
func walkSpans(t *testing.T, p *browser.Page) {
	t.Helper()
	first := func(column int) string {
		browser.Eval[any](p, `window.scrollTo(0, 0)`)
		return browser.Eval[string](p, fmt.Sprintf(`document.querySelector("[aria-rowindex='2']")?.children[%d]?.innerText ?? ""`, column))
	}
	p.ByRole("link", "Sort by duration: Duration").Click()
	p.Until("the longest", func() bool { return first(4) == "4.49 s" })
	p.ByRole("link", "Sort by duration: Duration").Click()
	p.Until("the shortest", func() bool { return first(4) == "84 ms" })
	require.Contains(t, p.URL(), "order=ASC")
	p.Back()
	p.Back()

	browser.Eval[any](p, `[...document.querySelectorAll("tbody tr:not(.gap)")].find((r) => r.innerText.includes("char_count = 40")).querySelector(".more-of").click()`)
	p.ByRole("link", "Filter by this value of evaluation.char-count.char_count").Click()
	p.Text("evaluation.char-count.char_count is 40")
	p.Text("30 spans")
	p.UntilTrue(`[...document.querySelectorAll("tbody tr:not(.gap)")].every((r) => r.innerText.includes("char_count = 40"))`)
	menuOf(p, "Columns")
	p.ByRole("textbox", "Column").Paste("llm.usage.input_tokens")
	p.Press("\r")
	p.Until("a column", func() bool { return first(6) == "139" })
	require.Contains(t, p.URL(), "cols="+url.QueryEscape(`["llm.usage.input_tokens"]`))
	checkAccessible(t, p, "spans with a column")
	p.ByRole("checkbox", "llm.usage.input_tokens").Click()
	p.UntilTrue(`!location.search.includes("cols=")`)
	p.Back()
	p.Back()
	p.Back()
	p.Text("120 spans")

	p.Text("100 of 120 loaded")
	browser.Eval[any](p, `document.activeElement.blur()`)
	at := func(row int) {
		t.Helper()
		p.UntilTrue(fmt.Sprintf(`document.activeElement.closest("tr")?.getAttribute("data-index") === "%d"`, row))
	}
	p.Press("j")
	at(0)
	p.Press("j")
	at(1)
	p.Press("j")
	at(2)
	p.Press("k")
	at(1)
	p.Press("\r")
	p.ByRole("region", "Span")
	p.Text("Blue kettle")
	checkAccessible(t, p, "a span next to the list")
	p.Press("j")
	at(2)
	p.Text("should be with you tomorrow")
	selected := browser.Eval[string](p, `new URLSearchParams(location.search).get("sel")`)
	p.Reload()
	p.ByRole("region", "Span")
	p.Press("o")
	p.UntilTrue(`location.pathname.startsWith("/ui/traces/")`)
	p.ByRole("treegrid", "Spans of the trace")
	require.Equal(t, selected, browser.Eval[string](p, `location.pathname.split("/").at(-1) + "." + new URLSearchParams(location.search).get("span")`))
	p.Back()
	p.ByRole("region", "Span")
	p.Press("\x1b")
	p.Gone("region", "Span")
	p.Text("120 spans")
	for range 110 { // the page loads what the next row is on
		p.Press("j")
	}
	p.UntilTrue(`Number(document.activeElement.closest("tr")?.getAttribute("data-index")) > 90`)
	p.Text("120 of 120 loaded")
}

// What is in spans stays text, and what would hide a part of it is marked.
func TestHostileSpans(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, `<img src=x onerror="window.pwned=1">`, "prd")[0]
	var hostile []sent
	for i, x := range hostileTexts() {
		hostile = append(hostile, sent{name: x, service: x, model: x, output: x, ago: time.Duration(i) * time.Second})
	}
	send(t, c, key, hostile...)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text(fmt.Sprintf("%d spans", len(hostile)))
	p.Size(1280, 6000) // all rows are in sight
	p.Until("all rows", func() bool { return rows(p) == len(hostile) })
	require.Equal(t, fmt.Sprint(len(hostile)+1), browser.Eval[string](p, `document.querySelector("table.spanlist").getAttribute("aria-rowcount")`))
	p.Text(`<img src=x onerror="window.pwned=1">`)
	p.Text("⟨U+202E⟩")
	allowed := "A B BUTTON CAPTION DATALIST DETAILS DIV FIGURE FORM H1 INPUT LABEL LI MAIN NAV OPTION P SELECT SPAN SUMMARY TABLE TBODY TD TH THEAD TR UL g rect svg title"
	unexpected := browser.Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll("main, main *")].map((e) => e.tagName).filter((n) => !%q.split(" ").includes(n))`, allowed))
	require.Empty(t, unexpected)
	for i := range hostile {
		browser.Eval[any](p, fmt.Sprintf(`document.querySelectorAll("tbody tr")[%d].querySelector(".more-of").click()`, i))
		p.UntilTrue(`document.querySelector(".menu a") !== null`)
		browser.Eval[any](p, `document.querySelector(".menu a").click()`)
		p.UntilTrue(`location.search.includes("filters=")`)
		p.Back()
		p.UntilTrue(`!location.search.includes("filters=")`)
		p.Text(fmt.Sprintf("%d spans", len(hostile)))
		p.Until("all rows again", func() bool { return rows(p) == len(hostile) })
	}
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
	require.NotContains(t, browser.Eval[string](p, "document.title + JSON.stringify(localStorage)"), "pwned")
}

// New spans appear by themselves, and wait while a user has one open. No client that
// waits for them keeps the collector from stopping.
func TestLive(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("No span has arrived in this environment yet.")
	p.Press("l")
	p.UntilTrue(`location.search.includes("live=1")`)
	p.Text("Waiting for the next span.")
	send(t, c, key, conversation(3)...)
	p.Text("3 spans")
	p.Until("three rows", func() bool { return rows(p) == 3 })
	checkAccessible(t, p, "live")

	// Chart and counts follow, and a span that began before others stands below them.
	p.UntilTrue(`document.querySelector(".sums-of")?.innerText.startsWith("0 errors")`)
	sendTrace(t, c, key, traceOf(3), hasBegun(20*time.Minute), []step{{name: "an old one", took: time.Second, failed: "no"}})
	p.Text("4 spans")
	p.UntilTrue(`document.querySelector(".sums-of").innerText.startsWith("1 error")`)
	p.UntilTrue(`document.querySelectorAll("tbody tr:not(.gap)").length === 4 && document.querySelector("tbody").lastElementChild.innerText.includes("an old one")`)
	p.Press("j")
	p.UntilTrue(`document.activeElement.closest("tr") !== null`)
	p.Press("\r")
	p.ByRole("region", "Span")
	p.Text("The list stands still")
	sendTrace(t, c, key, traceOf(4), hasBegun(time.Second), []step{{name: "late one", took: time.Second}})
	p.UntilTrue(`[...document.querySelectorAll(".livebar button")].some((b) => b.innerText.endsWith("show"))`)
	require.NotContains(t, browser.Eval[string](p, `document.querySelector("table").innerText`), "late one")
	browser.Eval[any](p, `document.querySelector(".livebar button").click()`)
	p.UntilTrue(`document.querySelector("table").innerText.includes("late one")`)
	p.Gone("region", "Span")

	begun := time.Now()
	require.NoError(t, c.Stop())
	require.Less(t, time.Since(begun), 30*time.Second, "systemd and Kubernetes wait no longer, as deploy/ has it")
}
