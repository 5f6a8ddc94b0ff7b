// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A list of thousands of spans is read to its end, and only what is seen is in the page.
func TestLongList(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(5000)...)
	await(t, c, key, 5000)
	p := open(t, c, "/ui/spans?t=24h")
	signIn(t, p, key)
	p.Text("100 of 5,000 loaded")
	p.Until("the last row", func() bool {
		toTheEnd(p)
		return browser.Eval[bool](p, `document.body.innerText.includes("5,000 of 5,000 loaded") && document.querySelector("[aria-rowindex='5001']") !== null`)
	})
	require.Less(t, rows(p), 60)
	require.Equal(t, "5001", browser.Eval[string](p, `document.querySelector("table.spanlist").getAttribute("aria-rowcount")`))
}

// Every operator finds in the list what it finds over the API, and every order is that of
// the API.
func TestOperatorsAndOrders(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "all", "evaluators": []string{"char-count"},
		"selector": []map[string]any{{"key": "service.name", "source": "resource_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	send(t, c, key, conversation(90)...)
	await(t, c, key, 90)
	ask := func(filters, order string) testbed.Page {
		page, err := testbed.Ask[testbed.Page](t.Context(), c, http.MethodGet, fmt.Sprintf(
			"/v2/warehouse/spans?from_timestamp_sec=%d&limit=100&filters=%s%s", time.Now().Unix()-3600, url.QueryEscape(filters), order), key, nil)
		require.NoError(t, err, filters)
		return page
	}
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("90 spans")
	seen := map[int64]bool{}
	for _, f := range []struct {
		id, operator string
		value        any
	}{
		{"span_name", "equals", "search"},
		{"span_name", "not_equals", "search"},
		{"span_name", "in", []string{"search", "nothing"}},
		{"service_name", "not_in", []string{"bot"}},
		{"span_name", "starts_with", "ch"},
		{"traceloop.entity.output", "contains", "Blue kettle"},
		{"gen_ai.usage.input_tokens", "greater_than", 500},
		{"gen_ai.usage.input_tokens", "greater_than_or_equal", 620},
		{"gen_ai.usage.input_tokens", "less_than", 400},
		{"gen_ai.usage.input_tokens", "less_than_or_equal", 178},
		{"evaluation.char-count.char_count", "exists", nil},
		{"evaluation.char-count.char_count", "not_exists", nil},
	} {
		filter := map[string]any{"id": f.id, "operator": f.operator}
		if f.value != nil {
			filter["value"] = f.value
		}
		text, err := json.Marshal([]any{filter})
		require.NoError(t, err)
		want := ask(string(text), "").Spans.TotalResults
		seen[want] = true
		p.Go(c.API + "/ui/spans?filters=" + url.QueryEscape(string(text)))
		noun := "spans"
		if want == 1 {
			noun = "span"
		}
		if want == 0 {
			p.Text("No span of this period matches.")
			continue
		}
		p.Text(fmt.Sprintf("%d %s", want, noun))
		p.Until(f.operator+" over "+f.id, func() bool {
			return browser.Eval[string](p, `document.querySelector("table.spanlist")?.getAttribute("aria-rowcount") ?? ""`) == fmt.Sprint(want+1)
		})
	}
	require.Greater(t, len(seen), 6, "they find different spans")

	for _, by := range []string{"timestamp", "duration", "total_tokens", "evaluation.char-count.char_count"} {
		for _, order := range []string{"ASC", "DESC"} {
			first := ask("[]", "&sort_by="+by+"&sort_order="+order).Spans.Data[0]
			p.Go(c.API + "/ui/spans?sort=" + by + "&order=" + order)
			p.Text("90 spans")
			p.UntilTrue(`document.querySelector("[aria-rowindex='2'] .open") !== null`)
			browser.Eval[any](p, `document.querySelector("[aria-rowindex='2'] .open").click()`)
			p.UntilTrue(`location.search.includes("sel=` + first.TraceID + "." + first.SpanID + `")`)
		}
	}
}

// While the collector is away the list says so and tries again by itself, and what was
// asked for is there when it is back.
func TestListWhileTheCollectorIsAway(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(40)...)
	await(t, c, key, 40)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("40 spans")
	require.NoError(t, c.Stop())
	p.ByRole("combobox", "Period").Choose("24h")
	p.Text("Next try in")
	p.Until("the rows from before", func() bool { return rows(p) > 0 })
	checkAccessible(t, p, "a list while the collector is away")
	launch(t, c)
	p.UntilTrue(`!document.body.innerText.includes("Next try in")`)
	p.Text("40 spans")
	p.UntilTrue(`location.search.includes("t=24h")`)
}
