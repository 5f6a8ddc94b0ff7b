// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"bufio"
	"encoding/csv"
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

// Bounds are several times the budget: machines of tests do much else besides.
const (
	mostHeap    = 150 << 20 // bytes of scripts with a trace of 10,000 spans and 50 of them opened
	mostGrowth  = 1.5       // of what is held after the same thing was done again and again
	longestWalk = 20.0      // seconds of 50 arrow keys in it
)

// A trace of 10,000 spans is walked within bounds, and what it held is let go.
func TestLongTraceKeepsItsBounds(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	steps := []step{{name: "root", took: time.Minute}}
	for i := range 9999 {
		steps = append(steps, step{name: fmt.Sprintf("step %d", i%40), above: 1 + i/100, from: time.Duration(i) * 5 * time.Millisecond, took: 4 * time.Millisecond})
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(t, c, key, len(steps))
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("10,000 spans")
	walk := func() {
		t.Helper()
		p.Go(c.API + "/ui/traces/" + traceOf(1).String())
		p.ByRole("treegrid", "Spans of the trace")
		p.UntilTrue(`document.querySelector("[role=row][tabindex='0']") !== null`)
		browser.Eval[any](p, `document.querySelector("[role=row][tabindex='0']").focus()`)
		for range 50 {
			p.Press(browser.Down)
		}
		p.UntilTrue(`Number(document.activeElement.getAttribute("aria-rowindex")) >= 50`)
		require.Less(t, browser.Eval[int](p, `document.querySelectorAll("[role=row]").length`), 120, "only what is seen is in the page")
	}
	begun := time.Now()
	walk()
	require.Less(t, time.Since(begun).Seconds(), longestWalk)
	require.Less(t, p.Heap(), int64(mostHeap))
	held := func() int64 {
		p.Press("gs")
		p.Text("10,000 spans")
		return p.Heap()
	}
	before := held()
	for range 4 {
		p.Back()
		p.ByRole("treegrid", "Spans of the trace")
		held()
	}
	require.Less(t, float64(held()), mostGrowth*float64(before))
}

// What is saved is what the API answers: the same spans, all of them, in both forms.
func TestExportsHaveTheRowsOfTheAPI(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(250)...)
	await(t, c, key, 250)
	page, err := testbed.Ask[testbed.Page](t.Context(), c, http.MethodGet, fmt.Sprintf("/v2/warehouse/spans?limit=1000&from_timestamp_sec=%d", time.Now().Add(-time.Hour).Unix()), key, nil)
	require.NoError(t, err)
	want := map[string]string{}
	for _, s := range page.Spans.Data {
		want[s.TraceID+s.SpanID] = s.Name
	}
	require.Len(t, want, 250)

	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("100 of 250 loaded")
	browser.Eval[any](p, `(() => { const made = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob; return made(blob) } })()`)
	saved := func(button string) string {
		t.Helper()
		browser.Eval[any](p, "delete window.saved")
		menuOf(p, "Export")
		p.ByRole("button", button)
		browser.Eval[any](p, fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => b.innerText === %q).focus()`, button))
		p.Press("\r") // what comes late above it moves nothing of that
		p.UntilTrue("window.saved instanceof Blob")
		p.Text("250 spans saved.")
		return browser.Eval[string](p, "window.saved.text()")
	}
	lines, err := csv.NewReader(strings.NewReader(saved("Save as CSV"))).ReadAll()
	require.NoError(t, err)
	got := map[string]string{}
	for _, line := range lines[1:] {
		got[line[1]+line[2]] = line[3]
	}
	require.Equal(t, want, got)

	got = map[string]string{}
	scanner := bufio.NewScanner(strings.NewReader(saved("Save as JSON lines")))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var s testbed.Span
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &s))
		got[s.TraceID+s.SpanID] = s.Name
	}
	require.Equal(t, want, got)
}
