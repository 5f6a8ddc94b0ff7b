// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func compare(t *testing.T, first, second string) float64 {
	t.Helper()
	there := output(t, "html-comparison", map[string]string{"html1": first, "html2": second}).(float64)
	back := output(t, "html-comparison", map[string]string{"html1": second, "html2": first}).(float64)
	require.InDelta(t, there, back, 1e-12, "symmetric")
	require.GreaterOrEqual(t, there, 0.0)
	require.LessOrEqual(t, there, 1.0)
	return there
}

func TestPagesThatAreAlike(t *testing.T) {
	t.Parallel()
	for first, second := range map[string]string{
		"":                                     "  <!-- nothing --> ",
		"<p>a b</p>":                           "<p>\n a   b</p>\n",
		"<P ID=x>a</P>":                        `<p id="x">a</p>`,
		`<i class="a b">x</i>`:                 `<i class=" b  a ">x</i>`,
		`<i style="color:red; top: 1px">x</i>`: `<i style="TOP:1px;color: red;">x</i>`,
		"<script>a()</script><p>x":             "<script>b()</script><p>x</p>",
		"<!doctype html><html><body><p>x":      "<p>x",
		"caf\u00e9":                            "cafe\u0301",
		"a &amp; b":                            "a &#38; b",
		"<ul><li>a<li>b</ul>":                  "<ul><li>a</li><li>b</li></ul>",
		`<input disabled>`:                     `<input disabled="">`,
		"<p>broken <b>bold <i>both</b> slanted</i>": "<p>broken <b>bold <i>both</b> slanted</i>",
	} {
		require.InDelta(t, 1, compare(t, first, second), 0, "%s", first)
	}
}

func TestPagesThatDiffer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		first, second string
		want          float64
	}{
		{"", "<p>x</p>", 0},
		{"", "<br>", 0},
		{"<p>a</p>", "<div>b</div>", 0},
		{"<p>a b c d</p>", "<p>a b x d</p>", .5 + .5*.75},
		{"<p>a</p>", "<p>a</p><p>a</p>", .5*2/3 + .5*2/3},
		{"<b><i></i></b>", "<b></b><i></i>", .5*2*3/8 + .5},
		{`<p id="a">x</p>`, `<p id="b">x</p>`, .8},
		{`<p class="a b">x</p>`, `<p class="a">x</p>`, .9},
		{`<p id="a">x</p>`, `<p>x</p>`, .8},
		{`<body class="dark">x`, `<p>y`, 0},
		{"a b", "b a", .5 + .5*.5},
	} {
		require.InDelta(t, row.want, compare(t, row.first, row.second), 1e-12, "%s %s", row.first, row.second)
	}
}

func TestPagesNestedTooDeepAreRefused(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("html-comparison")
	deep := strings.Repeat("<div>", 2000)
	refuses(t, e, map[string]any{"html1": deep, "html2": ""}, nil, fault.Invalid, "input.html1 is nested too deep")
	refuses(t, e, map[string]any{"html1": "", "html2": deep}, nil, fault.Invalid, "input.html2 is nested too deep")
}

func TestLargePagesEnd(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("<p>a</p>", 30_000)
	require.InDelta(t, 1, compare(t, many, many), 0)
	require.Less(t, compare(t, many, strings.Repeat("<i>b</i>", 30_000)), 0.01)
	for _, hostile := range []string{
		strings.Repeat("<div>", 100_000), strings.Repeat("<b>", 50_000) + strings.Repeat("</i>", 50_000),
		strings.Repeat("<a><table>", 5_000), strings.Repeat("<p a"+strings.Repeat(" a", 50)+">", 5_000), strings.Repeat("\x00<", 100_000), strings.Repeat("&", 500_000),
	} {
		e, _ := Catalog().Get("html-comparison")
		got, err := fromSpan(t.Context(), e, parts{"output": hostile, "attribute:html2": "<p>a"}, nil)
		checkOutcome(t, e, got, err)
	}
}

func BenchmarkHTMLComparison(b *testing.B) {
	e, _ := Catalog().Get("html-comparison")
	p := strings.Repeat(`<div class="row"><p>Some words here</p><a href="/x">more</a></div>`, 15)
	span := parts{"output": p, "attribute:html2": strings.ReplaceAll(p, "here", "there")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
