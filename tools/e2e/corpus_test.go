// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// corpus are texts that would run a script, load something or lead elsewhere in a
// page that took them for markup, for Markdown with markup, or for an address.
func corpus() []string {
	const run = "window.pwned=1"
	list := hostileTexts()
	for _, element := range []string{
		"img src=x", "svg", "svg/", "video src=x", "audio src=x", "body", "iframe", "input autofocus", "details open", "marquee", "object data=x", "embed src=x",
		"form", "math", "style", "link rel=stylesheet href=x", "meta http-equiv=refresh", "textarea autofocus", "select autofocus", "a href=x", "button", "template",
	} {
		for _, handler := range []string{"onerror", "onload", "onfocus", "ontoggle", "onanimationstart", "oNcLiCk"} {
			list = append(list, fmt.Sprintf("<%s %s=%s>", element, handler, run))
		}
	}
	for _, address := range []string{
		"javascript:" + run, "JaVaScRiPt:" + run, "java\tscript:" + run, " javascript:" + run, "javascript&colon;" + run, "data:text/html,<script>" + run + "</script>",
		"vbscript:" + run, "https://user:pass@example.com/", "//example.com/x", "file:///etc/passwd",
	} {
		for _, form := range []string{"[x](%s)", "![x](%s)", "<%s>", "[x][1]\n\n[1]: %s", "<a href=\"%s\">x</a>", "[![x](%[1]s)](%[1]s)"} {
			list = append(list, fmt.Sprintf(form, address))
		}
	}
	return append(list,
		"&lt;script&gt;"+run+"&lt;/script&gt;", "\\u003cscript\\u003e"+run, "%3Cscript%3E"+run, "&#60;img src=x onerror="+run+"&#62;", "{{"+run+"}}", "<%= "+run+" %>",
		"#{"+run+"}", "`${"+run+"}`", "]]><script>"+run+"</script>", "--><script>"+run+"</script>", "<!--<img src=\"--><img src=x onerror="+run+"//\">",
		"```html\n<script>"+run+"</script>\n```", "| a |\n|---|\n| <img src=x onerror="+run+"> |", "<script\x00>"+run+"</script>", "\u2066\u202e<b>\u2069", "\ufeff<script>"+run,
		strings.Repeat("[", 5000), strings.Repeat("> ", 3000)+"x", strings.Repeat("_a__", 3000), strings.Repeat("- ", 2000), `{"a":`+strings.Repeat("[", 900)+strings.Repeat("]", 900)+"}",
	)
}

// No payload of the corpus does anything in any place where a text is shown, as
// text, as Markdown or as JSON.
func TestCorpus(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	all := corpus()
	require.GreaterOrEqual(t, len(all), 200)
	monitors(t, c, key)
	for i, x := range all[:40] {
		_, _ = testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{ // names that are refused show nowhere
			"external_id": x, "evaluators": []string{"char-count"},
			"selector": []map[string]any{{"key": fmt.Sprintf("k%d", i), "source": "span_attributes", "operator": "equals", "value": x}},
		})
	}
	var steps []step
	const each = 20 // messages of a call
	for first := 0; first < len(all); first += each {
		attributes := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"}
		for i, x := range all[first:min(first+each, len(all))] {
			at := fmt.Sprintf("gen_ai.prompt.%d.", i)
			attributes[at+"role"] = []string{"user", "assistant", "system", "tool", x}[i%5]
			attributes[at+"content"] = x
			attributes[at+"name"] = x
			if i%5 == 1 {
				attributes[at+"tool_calls.0.id"], attributes[at+"tool_calls.0.name"], attributes[at+"tool_calls.0.arguments"] = x, x, x
			}
			attributes["app."+x[:min(len(x), 200)]] = x
		}
		x := all[first]
		steps = append(steps, step{
			name: x, from: time.Duration(first) * time.Millisecond, took: time.Second, failed: x, attributes: attributes, events: map[string]map[string]any{x: {"app.e": x}},
		})
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	var listed []sent
	for i, x := range all {
		listed = append(listed, sent{name: x, service: x, model: x, output: x, ago: time.Duration(i) * time.Second})
	}
	send(t, c, key, listed...)
	await(t, c, key, len(all)+len(steps))

	const page = "A B BLOCKQUOTE BR BUTTON CAPTION CODE DATALIST DD DEL DETAILS DIV DL DT EM FIGURE FORM H1 H2 H3 HR INPUT INS LABEL LI MAIN NAV OL OPTION P S SECTION SELECT SPAN STRONG SUMMARY TABLE TBODY TD TH THEAD TR UL " +
		"g rect svg title line text path"
	look := func(p *browser.Page, place string) {
		t.Helper()
		require.Empty(t, browser.Eval[[]string](p, fmt.Sprintf(`[...new Set([...document.querySelectorAll("main, main *")].map((e) => e.tagName).filter((n) => !%q.split(" ").includes(n)))]`, page)), place)
		require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("main a")].map((a) => a.href).filter((h) => !h.startsWith(location.origin + "/ui/"))`), place)
		require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("main *")].flatMap((e) => e.getAttributeNames().filter((n) => n.startsWith("on") || n === "srcdoc"))`), place)
		require.True(t, browser.Eval[bool](p, "window.pwned === undefined"), place)
	}
	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?view=conversation")
	signIn(t, p, key)
	calls := fmt.Sprintf(`document.querySelectorAll(".callof").length === %d`, len(steps))
	p.UntilTrue(calls)
	look(p, "a conversation as text")
	// Folded parts are opened, and every text is read as Markdown or as JSON.
	browser.Eval[any](p, `localStorage["touchstone.formats"] = ["system", "user", "assistant", "tool", "other"].map((r) => r + "=markdown").join()`)
	p.Reload()
	p.UntilTrue(calls)
	browser.Eval[any](p, `document.querySelectorAll("details").forEach((d) => { d.open = true })`)
	p.UntilTrue(`document.querySelectorAll(".markdown:not(.plain) blockquote").length > 0`)
	look(p, "a conversation as Markdown")
	require.Greater(t, browser.Eval[int](p, `document.querySelectorAll(".markdown").length`), len(all)/2)
	require.Zero(t, browser.Eval[int](p, `document.querySelectorAll("main img").length`))

	p.Go(c.API + "/ui/spans")
	p.Text("spans")
	p.Size(1280, 12_000)
	p.Until("all rows", func() bool {
		toTheEnd(p)
		return browser.Eval[bool](p, fmt.Sprintf(`document.body.innerText.includes("%[1]d of %[1]d loaded")`, len(all)+len(steps)))
	})
	look(p, "the list")
	for _, at := range []string{"monitors", "verdicts?t=24h", "verdicts?t=24h&m=char-count.char_count&by=service_name", "health", "evaluators"} {
		p.Go(c.API + "/ui/" + at)
		p.UntilTrue(`document.querySelector("main h1") !== null && document.querySelector("main [aria-busy=true]") === null`)
		look(p, at)
	}
	require.NotContains(t, browser.Eval[string](p, "document.title + JSON.stringify(localStorage)"), "pwned")
}
