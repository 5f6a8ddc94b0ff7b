// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// activeRow is the text of the row that has the focus.
func activeRow(p *browser.Page) string {
	return browser.Eval[string](p, `document.activeElement.matches("[role=row]") ? document.activeElement.querySelector(".text").innerText : ""`)
}

func treeRows(p *browser.Page) string {
	return browser.Eval[string](p, `[...document.querySelectorAll("[role=row] .text")].map((e) => e.innerText).join("|")`)
}

func TestTrace(t *testing.T) {
	t.Parallel()
	c := start(t)
	keys := keysOf(t, c, "Acme", "prd", "stg")
	key := keys[0]
	monitors(t, c, key)
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	address := "/ui/traces/" + traceOf(1).String()
	p := open(t, c, address)
	signIn(t, p, key)
	p.UntilTrue(`document.querySelector("h1")?.innerText === "answer a question"`) // which is the heading of its first span, too
	p.Text("10 spans")
	p.Text("1,874 tokens")
	p.ByRole("region", "Summary")
	p.UntilTrue(`/Question[^]*where is my parcel[^]*Answer[^]*on its way[^]*Time[^]*llm[^]*gpt-4o: 2 calls, 1,874 tokens/.test(document.querySelector(".summary").innerText)`)
	p.ByRole("treegrid", "Spans of the trace")
	require.Equal(t, "answer a question|agent.plan|chat|POST /v1/chat/completions|find_order|SELECT orders|GET /carriers/post|chat|POST /v1/chat/completions|late.flush", treeRows(p))
	p.Text("parent not stored")
	p.Text("720 µs")
	require.NotContains(t, browser.Eval[string](p, "document.title"), "question", "no text of spans gets into a title")

	// Every span can be reached, folded and unfolded by keys alone.
	p.Press("j")
	p.Until("the second row", func() bool { return activeRow(p) == "agent.plan" })
	p.Press(browser.Left)
	p.Until("a folded row", func() bool { return treeRows(p) == "answer a question|agent.plan|late.flush" })
	p.Text("! error") // of a span below it
	p.Press(browser.Right)
	p.Until("an unfolded row", func() bool { return strings.Contains(treeRows(p), "find_order") })
	p.Press(browser.Right)
	p.Until("the span below", func() bool { return activeRow(p) == "chat" })
	p.UntilTrue(`location.search.includes("span=` + spanOf(3).String() + `")`)
	p.Press(browser.End)
	p.Until("the last row", func() bool { return activeRow(p) == "late.flush" })
	for _, move := range [][2]string{
		{browser.Up, "POST /v1/chat/completions"}, {"k", "chat"}, {browser.Home, "answer a question"}, {browser.Down, "agent.plan"}, {browser.Up, "answer a question"},
	} {
		p.Press(move[0])
		p.Until(move[1], func() bool { return activeRow(p) == move[1] })
	}
	p.Press("e")
	p.UntilTrue(`location.search.includes("span=` + spanOf(7).String() + `")`)
	p.Text("connection reset by peer")
	checkAccessible(t, p, "a failed span")

	p.Press("4")
	p.Text("raise ConnectionError")
	p.Text(traceOf(200).String())
	p.Press("v")
	p.UntilTrue(`location.search.includes("span=` + spanOf(8).String() + `")`)
	p.Press("1")
	p.Text("where is my parcel? My order is number 17,\nand my card")
	p.Text("calls find_order")
	p.Text("← its result")
	p.Text("on its way")
	p.Text("finished: stop")
	p.ByRole("tab", "Messages")
	checkAccessible(t, p, "talk")

	// A link shows the same to another user who has the key.
	p.Press("3")
	p.Text("gen_ai.response.model")
	checkAccessible(t, p, "attributes")
	fresh := open(t, c, strings.TrimPrefix(p.URL(), c.API))
	signIn(t, fresh, key)
	fresh.Text("gen_ai.response.model")
	require.Equal(t, p.URL(), fresh.URL())

	// What a call may use, and what made its prompt.
	p.Go(c.API + address + "?span=" + spanOf(3).String())
	p.Text("1 tool on offer")
	browser.Eval[any](p, `document.querySelector("details.tools > summary").focus()`)
	p.Press(" ")
	p.Text("Looks an order up.")
	checkAccessible(t, p, "tools on offer")
	p.Press("3")
	p.Text("shop-answer, 12")
	p.Text("support")

	// The spans that the trace waited for, and the time of one of them alone.
	p.ByRole("combobox", "Show").Choose("path")
	p.Until("the critical path", func() bool {
		return !strings.Contains(treeRows(p), "late.flush") && strings.HasPrefix(treeRows(p), "answer a question|")
	})
	p.ByRole("combobox", "Show").Choose("all")
	p.Until("all spans", func() bool { return strings.Contains(treeRows(p), "late.flush") })
	width := func() float64 {
		return browser.Eval[float64](p, `document.querySelector("[role=row][aria-selected=true] .stretch").getBoundingClientRect().width`)
	}
	before := width()
	p.Press("z")
	p.ByRole("button", "Whole trace")
	p.Until("a longer bar", func() bool { return width() > 2*before })
	checkAccessible(t, p, "a part of a trace")
	p.Press("z")
	p.ByRole("button", "Zoom to the span")
	p.Until("the bar as it was", func() bool { return width() == before })

	p.ByRole("button", "span list").Click()
	p.Until("a list", func() bool {
		return strings.HasPrefix(treeRows(p), "answer a question|agent.plan|chat|POST /v1/chat/completions|find_order|SELECT orders|")
	})
	p.UntilTrue(`[...document.querySelectorAll("[role=row]")].every((r) => r.getAttribute("aria-level") === "1")`)
	p.ByRole("button", "tree").Click()

	p.Press("f")
	p.Press("carriers")
	p.Text("1 hit")
	p.Press("\r")
	p.UntilTrue(`location.search.includes("span=` + spanOf(7).String() + `")`)
	p.ByRole("combobox", "Show").Choose("llm")
	p.Until("steps", func() bool { return treeRows(p) == "answer a question|agent.plan|chat|find_order|chat" })
	p.ByRole("combobox", "Show").Choose("errors")
	p.Until("errors", func() bool { return treeRows(p) == "answer a question|agent.plan|find_order|GET /carriers/post" })
	checkAccessible(t, p, "errors only")

	// Of another environment, and of none.
	other := open(t, c, address)
	signIn(t, other, keys[1])
	other.Text("There is no such trace in this environment.")
	checkAccessible(t, other, "no trace")
}

// The calls of models in a trace are one conversation: what they repeat is shown
// once, and an answer of a tool stands with its call.
func TestConversation(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, 10)
	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?view=conversation")
	signIn(t, p, key)
	p.ByRole("region", "Conversation")
	p.Text("3 earlier messages, unchanged")
	p.Text("and should be with you tomorrow.")
	said := browser.Eval[string](p, `document.querySelector(".conversation").innerText`)
	require.Equal(t, 1, strings.Count(said, "where is my parcel? My order is number 17"))
	require.Equal(t, 1, strings.Count(said, "calls find_order"))
	require.Equal(t, 1, strings.Count(said, "state on its way"), said)
	require.Contains(t, said, "has_pii = true")
	require.NotContains(t, said, "skipped")
	checkAccessible(t, p, "a conversation")
	browser.Eval[any](p, `[...document.querySelectorAll(".conversation summary")].find((s) => s.innerText.includes("earlier")).click()`)
	p.UntilTrue(`document.querySelector(".conversation").innerText.split("where is my parcel? My order is number 17").length === 3`)
	browser.Eval[any](p, `[...document.querySelectorAll(".callof > p a")].at(-1).click()`)
	p.ByRole("treegrid", "Spans of the trace")
	require.Contains(t, p.URL(), "span="+spanOf(8).String())

	got := browser.Eval[string](p, `new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { URL.createObjectURL = make; blob.text().then(done); return make.call(URL, blob) };
		[...document.querySelectorAll("button")].find((b) => b.innerText === "Download").click() })`)
	var file struct {
		TraceID string           `json:"trace_id"`
		Spans   []map[string]any `json:"spans"`
	}
	require.NoError(t, json.Unmarshal([]byte(got), &file))
	require.Equal(t, traceOf(1).String(), file.TraceID)
	require.Len(t, file.Spans, 10)
	require.Contains(t, got, "where is my parcel?")
}

// Messages are shown as Markdown, as JSON and with their pictures when a user
// asks for it, and remembered by role; nothing is loaded from anywhere.
func TestFormats(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	markdown := "# Parcels\n\n- **one** and *two*\n- `three`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[the shop](https://shop.example/x) [bad](javascript:window.pwned=1) ![pic](https://example.com/x.png)\n\n<img src=x onerror=window.pwned=1>\n\n> quoted"
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), []step{{name: "chat", took: time.Second, attributes: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.prompt.0.role": "user",
		"gen_ai.prompt.0.content":  `[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}},{"type":"image_url","image_url":{"url":"data:image/svg+xml;base64,PHN2Zy8+"}},{"type":"image_url","image_url":{"url":"https://example.com/x.png"}}]`,
		"gen_ai.prompt.1.role":     "tool",
		"gen_ai.prompt.1.content":  `{"parcels":[{"id":12345678901234567890,"state":"lost"}],"note":"data:image/png;base64,` + png + `"}`,
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": markdown,
	}}})
	await(t, c, key, 1)
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.Text("12345678901234567890")
	p.Text("[image/png, 70 B]")
	p.Text("[image/svg+xml, 6 B]")
	p.Text("# Parcels")
	require.Zero(t, browser.Eval[int](p, `document.querySelectorAll("main img").length`))
	browser.Eval[any](p, `[...document.querySelectorAll(".picture button")][0].click()`)
	p.UntilTrue(`document.querySelector(".picture img")?.naturalWidth === 1`)
	require.True(t, browser.Eval[bool](p, `document.querySelector(".picture img").src.startsWith("blob:" + location.origin)`))
	require.Equal(t, 2, browser.Eval[int](p, `document.querySelectorAll(".picture button").length`), "SVG has no button, and a picture elsewhere neither")

	browser.Eval[any](p, `[...document.querySelectorAll(".message.assistant .formats button")].find((b) => b.innerText === "Markdown").click()`)
	p.UntilTrue(`document.querySelectorAll(".markdown li").length === 2`)
	require.Equal(t, "one", browser.Eval[string](p, `document.querySelector(".markdown strong").innerText`))
	require.Equal(t, "2", browser.Eval[string](p, `document.querySelector(".markdown tbody td:last-child").innerText`))
	require.Equal(t, []string{"https://shop.example/x noopener noreferrer nofollow _blank"}, browser.Eval[[]string](p, `[...document.querySelectorAll(".markdown a")].map((a) => [a.href, a.rel, a.target].join(" "))`))
	p.Text("[image: pic] https://example.com/x.png")
	p.Text("<img src=x onerror=window.pwned=1>")
	checkAccessible(t, p, "Markdown and a picture")
	p.Reload()
	p.UntilTrue(`document.querySelectorAll(".markdown li").length === 2`)
	require.Equal(t, "assistant=markdown", browser.Eval[string](p, `localStorage["touchstone.formats"]`))
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
}

// Every monitor says what became of the span, and why.
func TestWhySpansAreNotJudged(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, 10)
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "nightly", "evaluators": []string{"word-count"},
		"selector": []map[string]any{{"key": "llm.vendor", "source": "span_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?tab=verdicts&span="+spanOf(8).String())
	signIn(t, p, key)
	p.Text("char_count = 133")
	p.Text("pii-detector")
	p.Text(`does not match: rule 2 wants span attribute llm.request.model equals "gpt-5"; the span has "gpt-4o"`)
	p.Text("The span has gpt-4o.")
	p.Text("nightly")
	p.Text("was made after the span came: a backfill judges it")
	p.ByRole("link", "Judge it now by a backfill")
	checkAccessible(t, p, "verdicts")
	browser.Eval[any](p, `[...document.querySelectorAll(".verdicts a")].find((a) => a.innerText === "133").click()`)
	p.Text("evaluation.char-count.char_count is 133")
	p.Text("1 span")
	p.Back()
	p.ByRole("tab", "Verdicts 4")

	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?tab=verdicts&span=" + spanOf(6).String())
	p.Text("No evaluator has run on this span.")
	p.Text("The span does not have it.")
	checkAccessible(t, p, "no verdicts")
}

// A trace of 10,000 spans stays fluid: few of its rows are in the page.
func TestLongTrace(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	steps := make([]step, 10_000)
	for i := range steps {
		steps[i] = step{name: fmt.Sprintf("step %d", i+1), above: i / 3, from: time.Duration(i) * time.Millisecond, took: 5 * time.Second}
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(t, c, key, len(steps))
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.Text("10,000 spans")
	inPage := func() int { return browser.Eval[int](p, `document.querySelectorAll("[role=row]").length`) }
	p.Text("step 1")
	require.Less(t, inPage(), 120)
	require.Equal(t, "10000", browser.Eval[string](p, `document.querySelector("[role=treegrid]").getAttribute("aria-rowcount")`))

	// How long it takes is logged, and what it costs is how many rows are made.
	browser.Eval[any](p, `(() => { window.made = 0; new MutationObserver((list) => { for (const m of list) window.made += m.addedNodes.length }).observe(document.querySelector("[role=rowgroup]"), {childList: true}) })()`)
	made := func() int { return browser.Eval[int](p, `((n) => { window.made = 0; return n })(window.made)`) }
	jump := browser.Eval[float64](p, `new Promise((done) => { const box = document.querySelector("[role=treegrid]"), begin = performance.now();
		box.scrollTop = box.scrollHeight / 2;
		const look = () => { const rows = [...box.querySelectorAll("[role=row]")].map((r) => Number(r.getAttribute("aria-rowindex")));
			rows.some((r) => r > 4990 && r < 5010) ? done(performance.now() - begin) : requestAnimationFrame(look) }; look() })`)
	jumpMade := made()
	walk := browser.Eval[float64](p, `new Promise((done) => { document.querySelector("[role=row][tabindex='0']").focus(); const begin = performance.now(); let left = 100; const turn = new MessageChannel();
		const press = () => { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true}));
			--left > 0 ? turn.port2.postMessage(0) : requestAnimationFrame(() => done(performance.now() - begin)) }; turn.port1.onmessage = press; press() })`)
	walkMade := made()
	t.Logf("a jump to the middle took %.0f ms and %d rows, 100 arrow keys %.0f ms and %d rows, with %d rows in the page", jump, jumpMade, walk, walkMade, inPage())
	require.Less(t, jumpMade, 240)
	require.Less(t, walkMade, 480)
	require.Equal(t, "101", browser.Eval[string](p, `document.activeElement.getAttribute("aria-rowindex")`))
	p.Press(browser.End)
	p.UntilTrue(`document.activeElement.getAttribute("aria-rowindex") === "10000"`)
	require.Less(t, inPage(), 120)
	checkAccessible(t, p, "a long trace")
}

// In a trace that is still going on new spans appear by themselves, and the view stays
// where it is.
func TestTraceThatGoesOn(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	// Its first span ends long after the test: a trace is followed until a minute after its end.
	steps := []step{{name: "plan", took: time.Hour}, {name: "search", above: 1, from: time.Millisecond, took: time.Second}}
	begun := time.Now()
	sendTrace(t, c, key, traceOf(1), begun, steps)
	await(t, c, key, 2)
	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?span="+spanOf(2).String())
	signIn(t, p, key)
	p.Text("2 spans")
	p.Text("New spans appear by themselves.")
	p.Until("the chosen span", func() bool {
		return browser.Eval[string](p, `document.querySelector("h2")?.innerText ?? ""`) == "search"
	})
	sendTrace(t, c, key, traceOf(1), begun, append(steps, step{name: "a late answer", above: 1, from: time.Second, took: time.Second}))
	p.Text("3 spans")
	require.Equal(t, "plan|search|a late answer", treeRows(p))
	require.Equal(t, "search", browser.Eval[string](p, `document.querySelector("h2").innerText`))
}

// Of a text of a megabyte the panel shows a part, and has all of it to be saved.
func TestTextOfAMegabyte(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	prompt := "begin " + strings.Repeat("a word and ", 90_000) + "end"
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), []step{{name: "chat", took: time.Second, attributes: map[string]any{
		"gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": prompt,
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "so many words",
	}}})
	await(t, c, key, 1)
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.Text("begin a word")
	p.Text("so many words")
	require.Less(t, browser.Eval[int](p, "document.body.innerText.length"), len(prompt)/2)
	saved := browser.Eval[string](p, `new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { URL.createObjectURL = make; blob.text().then(done); return make.call(URL, blob) };
		[...document.querySelectorAll("button")].find((b) => b.innerText.startsWith("Download the whole text")).click() })`)
	require.Equal(t, prompt, saved)
	checkAccessible(t, p, "a text of a megabyte")
}

// A trace of more spans than are shown says so, and a link to one that is not in the tree
// shows it.
func TestTraceOfMoreSpansThanAreShown(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	steps := make([]step, 50_000)
	for i := range steps {
		steps[i] = step{name: fmt.Sprintf("step %d", i+1), above: min(i, 1), from: time.Duration(i) * time.Millisecond, took: time.Minute}
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(t, c, key, len(steps))
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.Text("50,000 spans")
	p.Text("The first 20,000 of 50,000 spans are shown.")
	require.Equal(t, "20000", browser.Eval[string](p, `document.querySelector("[role=treegrid]").getAttribute("aria-rowcount")`))
	p.UntilTrue(`document.querySelector("[role=row][tabindex='0']") !== null`)
	browser.Eval[any](p, `document.querySelector("[role=row][tabindex='0']").focus()`)
	p.Press(browser.End)
	p.Until("the last row", func() bool { return activeRow(p) == "step 20000" })
	require.Less(t, browser.Eval[int](p, `document.querySelectorAll("[role=row]").length`), 120)

	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?span=" + spanOf(40_000).String())
	p.UntilTrue(`document.querySelector("h2")?.innerText === "step 40000"`)
	p.Text("This span is not among the first 20,000 of the trace, which the tree shows.")
	checkAccessible(t, p, "a span beyond those of the tree")
	p.Press("j")
	p.UntilTrue(`document.querySelector("h2")?.innerText === "step 2"`)
	require.NotContains(t, browser.Eval[string](p, "document.body.innerText"), "not among")
}

// What is in spans stays text in every part of the screen.
func TestHostileTrace(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	var steps []step
	for i, x := range hostileTexts() {
		attributes := map[string]any{
			"gen_ai.provider.name": "openai", "gen_ai.request.model": x, x[:min(len(x), 300)]: x, "gen_ai.prompt.0.role": x, "gen_ai.prompt.0.content": x,
			"gen_ai.prompt.1.role": "system", "gen_ai.prompt.1.content": x + strings.Repeat(" ", 500), "gen_ai.prompt.2.role": "user",
			"gen_ai.prompt.2.content":  fmt.Sprintf(`[{"type":%q,"image_url":{"url":%q}}]`, x, x),
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": x, "gen_ai.completion.0.finish_reason": x,
			"gen_ai.completion.0.tool_calls.0.id": x, "gen_ai.completion.0.tool_calls.0.name": x, "gen_ai.completion.0.tool_calls.0.arguments": x,
		}
		steps = append(steps, step{
			name: x, above: min(i, 1), from: time.Duration(i) * time.Millisecond, took: time.Second, failed: x, attributes: attributes,
			events: map[string]map[string]any{x: {x[:min(len(x), 300)]: x}},
		})
	}
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": hostileTexts()[0], "evaluators": []string{"char-count"},
		"selector": []map[string]any{{"key": "gen_ai.request.model", "source": "span_attributes", "operator": "equals", "value": hostileTexts()[1]}},
	})
	require.NoError(t, err)
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(t, c, key, len(steps))
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.Text(fmt.Sprintf("%d spans", len(steps)))
	allowed := "A B BUTTON CODE DD DETAILS DIV DL DT FORM H1 H2 H3 INPUT LABEL LI MAIN OL OPTION P SECTION SELECT SPAN SUMMARY UL"
	for i := range steps {
		p.Press("j")
		if i == 0 {
			p.Press("k")
		}
		p.UntilTrue(`location.search.includes("span=` + spanOf(i+1).String() + `")`)
		p.UntilTrue(`document.querySelector("[aria-label=Span]").getAttribute("aria-busy") === "false"`)
		for tab, sign := range map[string]string{"1": "calls ", "2": "Monitors", "3": "Attributes of the resource", "4": "after 500 ms", "5": "trace_id"} {
			p.Press(tab)
			p.Text(sign)
			unexpected := browser.Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll("main, main *")].map((e) => e.tagName).filter((n) => !%q.split(" ").includes(n))`, allowed))
			require.Empty(t, unexpected)
			require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("main a")].map((a) => a.href).filter((h) => !h.startsWith(location.origin + "/ui/"))`))
		}
	}
	p.Press("5")
	p.Text("⟨U+202E⟩")
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
	require.NotContains(t, browser.Eval[string](p, "document.title + JSON.stringify(localStorage)"), "pwned")
}
