// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Columns are dragged to their place, or moved there by keys.
func TestColumnsAreMoved(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, hours(5, time.Minute)...)
	await(t, c, key, 5)
	p := open(t, c, "/ui/spans?cols="+url.QueryEscape(`["llm.vendor","span_type","status_code"]`))
	p.Size(1600, 900)
	signIn(t, p, key)
	p.Text("5 spans")
	order := func() string {
		return browser.Eval[string](p, `[...document.querySelectorAll("th.own")].map((e) => e.innerText.split(" ")[0]).join()`)
	}
	p.Until("three columns", func() bool { return order() == "llm.vendor,span_type,status_code" })
	middle := func(i string) (float64, float64) {
		at := browser.Eval[[]float64](p, `(() => { const r = [...document.querySelectorAll("th.own")][`+i+`].getBoundingClientRect(); return [r.x + 8, r.y + 12] })()`)
		return at[0], at[1]
	}
	p.UntilTrue(`document.querySelector(".bars") !== null`) // nothing above the list grows any more
	x, y := middle("2")
	toX, toY := middle("0")
	p.Drag(x, y, toX, toY)
	p.Until("the last one first", func() bool { return order() == "status_code,llm.vendor,span_type" })
	require.Equal(t, `["status_code","llm.vendor","span_type"]`, browser.Eval[string](p, `new URLSearchParams(location.search).get("cols")`))
	checkAccessible(t, p, "columns that were dragged")

	menuOf(p, "Columns (3)")
	checkAccessible(t, p, "the menu of columns")
	browser.Eval[any](p, `[...document.querySelectorAll("button")].find((b) => b.ariaLabel === "Move the column span_type to the left").focus()`)
	p.Press("\r")
	p.Until("moved by keys", func() bool { return order() == "status_code,span_type,llm.vendor" })
	p.Reload()
	p.Until("it stays", func() bool { return order() == "status_code,span_type,llm.vendor" })
}

// menuOf opens a menu above the table by keys, as what loads above it moves nothing of that.
func menuOf(p *browser.Page, name string) {
	summary := fmt.Sprintf(`[...document.querySelectorAll(".table-tools summary")].find((s) => s.innerText === %q)`, name)
	p.UntilTrue(summary)
	browser.Eval[any](p, summary+".focus()")
	p.Press("\r")
	p.UntilTrue(summary + `.parentElement.open`)
}

// A table with six columns of its own moves sideways in its place, and no head lies over another.
func TestSixColumnsHaveRoom(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	tr := ptrace.NewTraces()
	span := tr.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("chat")
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{1})
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	span.Attributes().PutStr("gen_ai.provider.name", "openai")
	span.Attributes().PutStr("user.id", "a.user.of.the.shop@example.org")
	span.Attributes().PutDouble("gen_ai.usage.cost", 0.000183129)
	export(t, c, key, tr)
	await(t, c, key, 1)
	p := open(t, c, "/ui/spans?cols="+url.QueryEscape(`["cost","llm.usage.input_tokens","user.id"]`))
	p.Size(1440, 900)
	signIn(t, p, key)
	p.Text("1 span")
	menuOf(p, "Columns (3)")
	for _, field := range []string{"llm.vendor", "span_type", "status_code"} {
		box := fmt.Sprintf(`[...document.querySelectorAll(".columns label")].find((l) => l.innerText.trim() === %q)?.querySelector("input")`, field)
		p.UntilTrue(box)
		browser.Eval[any](p, box+".focus()")
		p.Press(" ")
		p.UntilTrue(box + ".checked")
	}
	p.UntilTrue(`document.querySelectorAll("th.own").length === 6`)
	browser.Eval[any](p, `document.querySelector(".columns").open = false`)
	require.Empty(t, browser.Eval[[]string](p, `(() => {
		const heads = [...document.querySelectorAll(".spanlist th")];
		const text = (h) => { const r = document.createRange(); r.selectNodeContents(h); return h.querySelector(".one-line, .sort") ?? r; };
		const over = (i) => i + 1 < heads.length && text(heads[i]).getBoundingClientRect().right > heads[i + 1].getBoundingClientRect().left;
		return heads.filter((_, i) => over(i)).map((h) => h.innerText);
	})()`), "no head lies over the next")
	require.True(t, browser.Eval[bool](p, `(() => { const a = document.querySelector(".across"); return a.scrollWidth > a.clientWidth })()`), "it moves sideways")
	require.True(t, browser.Eval[bool](p, `document.documentElement.scrollWidth <= innerWidth`), "the page does not")
	require.Greater(t, browser.Eval[float64](p, `document.querySelector("td.output").getBoundingClientRect().width`), 100.0)
	require.Equal(t, "$0.0001831", browser.Eval[string](p, `document.querySelector("td.own").innerText`))
	checkAccessible(t, p, "six columns")
	if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
		picture(t, dir, p, "columns")
	}
}
