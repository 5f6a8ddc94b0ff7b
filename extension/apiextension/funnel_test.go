// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// funnel returns the spans that pass one rule more each, and the rest of the
// answer.
func (l *library) funnel(t *testing.T, name string) (passed []int64, got funnelAnswer) {
	t.Helper()
	r := l.call(t, "GET", setupsPath+"/"+name+"/funnel?from_timestamp_sec="+l.from, l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	got = into[funnelAnswer](t, r)
	for _, rule := range got.Rules {
		passed = append(passed, rule.Passed)
	}
	return passed, got
}

// The store's totals and the rules themselves come to the same figures.
func TestFunnelsRestOnTotalsOrOnSpansAlike(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1200, func(i int, r *store.Record) {
		values := []span.Attribute{{Key: "two", Value: strconv.Itoa(i % 2)}, {Key: "three", Value: strconv.Itoa(i % 3)}, {Key: "llm.vendor", Value: "openai"}}
		if i%5 == 0 {
			values = append(values, span.Attribute{Key: "five", Value: "V%_" + strconv.Itoa(i)})
		}
		r.Span.Attributes = span.NewAttributes(values)
		r.Span.Resource = span.NewAttributes([]span.Attribute{{Key: "service.name", Value: "shop"}})
	})
	const always = `,{"key":"llm.vendor","source":"span_attributes"%s}`
	for i, c := range []struct {
		rules string
		want  []int64
		stops int
		hint  string
	}{
		{`{"key":"two","source":"span_attributes","value":"1"},{"key":"three","source":"span_attributes","operator":"in","values":["0","2"]},{"key":"five","source":"span_attributes","operator":"exists"}`, []int64{600, 400, 80}, 0, ""},
		{`{"key":"two","source":"span_attributes","operator":"not_equals","value":"1"},{"key":"five","source":"span_attributes","operator":"not_contains","value":"%_"}`, []int64{600, 480}, 0, ""},
		{`{"key":"two","source":"span_attributes","value":"0"},{"key":"five","source":"span_attributes","operator":"contains","value":"v%"},{"key":"two","source":"span_attributes","value":"0"}`, []int64{600, 0, 0}, 2, "only capitals differ"},
		{`{"key":"service.name","source":"span_attributes","operator":"exists"}`, []int64{0}, 1, "change the rule's source"},
		{`{"key":"service.name","source":"resource_attributes","value":"shop"},{"key":"three","source":"span_attributes","operator":"not_exists"}`, []int64{1200, 0}, 2, "rule 2 wants span attribute three not_exists"},
	} {
		counted, looked := fmt.Sprintf("counted-%d", i), fmt.Sprintf("looked-%d", i)
		l.create(t, l.key, `{"external_id":"`+counted+`","evaluators":["char-count"],"selector":[`+c.rules+`]}`)
		l.create(t, l.key, `{"external_id":"`+looked+`","evaluators":["char-count"],"selector":[`+c.rules+fmt.Sprintf(always, `,"operator":"exists"`)+`]}`)
		passed, totals := l.funnel(t, counted)
		require.Equal(t, c.want, passed, c.rules)
		require.Equal(t, "totals", totals.RestsOn)
		require.Equal(t, c.stops, totals.StopsAt)
		var also []int64
		var spans funnelAnswer
		require.Eventually(t, func() bool { // a look that takes ten seconds, on a busy machine, ends early
			also, spans = l.funnel(t, looked)
			return !spans.Truncated
		}, time.Minute, time.Millisecond)
		require.Equal(t, append(c.want, c.want[len(c.want)-1]), also)
		require.Equal(t, "spans", spans.RestsOn)
		require.Equal(t, c.stops, spans.StopsAt)
		for _, got := range []funnelAnswer{totals, spans} {
			require.EqualValues(t, 1200, got.Spans)
			require.Equal(t, c.want[len(c.want)-1], got.Matched)
			require.False(t, got.Truncated)
			require.Contains(t, got.Sentence, c.hint)
			if c.stops > 0 {
				require.Contains(t, got.Sentence, fmt.Sprintf("none passes rule %d. An example: rule %d wants ", c.stops, c.stops))
			}
			require.Equal(t, c.stops > 0, got.Example != nil)
		}
	}
	l.create(t, l.key, `{"external_id":"all","evaluators":["char-count"]}`)
	passed, got := l.funnel(t, "all")
	require.Empty(t, passed)
	require.EqualValues(t, 1200, got.Matched)
	r := l.call(t, "GET", setupsPath+"/all/funnel?from_timestamp_sec=1&to_timestamp_sec=2", l.key, "")
	require.Zero(t, into[funnelAnswer](t, r).Spans)
	r = l.call(t, "GET", setupsPath+"/all/funnel?from_timestamp_sec=1", l.newKey(t), "")
	require.Equal(t, http.StatusNotFound, r.status, "another environment's")
	require.Contains(t, r.message(t), "not found")
}
