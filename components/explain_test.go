// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// explained is why a span was judged or not, as the API shows it.
type explained struct {
	OwnTraffic bool             `json:"own_traffic"`
	Sentence   string           `json:"sentence"`
	Setups     []explainedSetup `json:"setups"`
}

type explainedSetup struct {
	ExternalID    string `json:"external_id"`
	Matched       bool   `json:"matched"`
	MadeAfterSpan bool   `json:"made_after_span"`
	Sentence      string `json:"sentence"`
	Rules         []struct {
		Actual  string `json:"actual"`
		Present bool   `json:"present"`
		Holds   bool   `json:"holds"`
		Hint    string `json:"hint"`
		Nearest struct {
			Difference string `json:"difference"`
			Key        string `json:"key"`
			Source     string `json:"source"`
			Value      string `json:"value"`
		} `json:"nearest"`
	} `json:"rules"`
	Evaluators []struct {
		EvaluatorType string `json:"evaluator_type"`
		Status        string `json:"status"`
		Reason        string `json:"reason"`
		Sentence      string `json:"sentence"`
		Sample        *struct {
			Place, Rate float64
		} `json:"sample"`
		Missing []struct {
			Input string            `json:"input"`
			Where map[string]string `json:"where"`
			At    string            `json:"at"`
		} `json:"missing"`
		Owed *struct {
			Due       string   `json:"due"`
			LeftToday *float64 `json:"left_today"`
		} `json:"owed"`
	} `json:"evaluators"`
}

func explainPath(s ptrace.Span) string {
	return "/v2/warehouse/spans/" + s.TraceID().String() + "/" + s.SpanID().String() + "/explain"
}

// explain asks about one setup and one span.
func (h *collector) explain(t *testing.T, key, setup string, s ptrace.Span) explainedSetup {
	t.Helper()
	list := must[explained](t, h, http.MethodGet, explainPath(s)+"?setup="+setup, key, nil).Setups
	require.Len(t, list, 1)
	return list[0]
}

// Whatever its user got wrong, the explanation names the rule, or what stopped
// the evaluator, and what would have held.
func TestMisconfigurationsAreExplained(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	fine := rule("gen_ai.system", "openai")
	for _, c := range []struct {
		name       string
		wrong      map[string]any
		difference string
		near       string // key and value
		sentence   string
	}{
		{"source", rule("service.name", "shop"), "other_source", "service.name=shop", `resource_attributes`},
		{"value-case", rule("gen_ai.system", "OpenAI"), "value_case", "gen_ai.system=openai", "only capitals differ"},
		{"key-case", rule("Gen_AI.Request.Model", "gpt-4o-mini"), "key_spelling", "gen_ai.request.model=gpt-4o-mini", "spells the key otherwise"},
		{"alias", rule("gen_ai.provider.name", "openai"), "alias", "llm.vendor=openai", "the same thing under another key"},
		{"absent", rule("app.tenant", "blue"), "", "", "the span does not have it"},
		{"number", rule("ratio", "0.70"), "value_number", "ratio=0.7", "rules compare text, not numbers"},
		{"field", rule("span_name", "chat 0"), "field", "span_name=chat 0", "field of the span"},
		{"other-key", rule("model", "gpt-4o-mini"), "other_key", "gen_ai.request.model=gpt-4o-mini", "another key"},
	} {
		h.setup(t, key, c.name, []string{"char-count"}, []map[string]any{fine, c.wrong})
		td := someTraces(1, 1)
		s := firstSpan(td)
		s.Attributes().PutDouble("ratio", 0.7)
		require.NoError(t, h.exportGRPC(t, key, td))
		got := h.explain(t, key, c.name, s)
		require.False(t, got.Matched, c.name)
		require.Len(t, got.Rules, 2)
		require.True(t, got.Rules[0].Holds)
		require.Equal(t, "openai", got.Rules[0].Actual)
		require.False(t, got.Rules[1].Holds)
		near := got.Rules[1].Nearest
		require.Equal(t, c.difference, near.Difference, c.name)
		if c.near != "" {
			require.Equal(t, c.near, near.Key+"="+near.Value, c.name)
		}
		require.True(t, strings.HasPrefix(got.Sentence, "does not match: rule 2 wants"), got.Sentence)
		require.Contains(t, got.Sentence, c.sentence)
		require.Equal(t, "none", got.Evaluators[0].Status)
		require.Equal(t, "not_matched", got.Evaluators[0].Reason)
	}
	negated := rule("app.tenant", "blue")
	negated["operator"] = "not_equals"
	h.setup(t, key, "negated", []string{"char-count"}, []map[string]any{negated})
	td := someTraces(2, 1)
	require.NoError(t, h.exportGRPC(t, key, td))
	got := h.explain(t, key, "negated", firstSpan(td))
	require.True(t, got.Matched, "a negation holds where there is nothing")
	require.False(t, got.Rules[0].Present)
	require.Contains(t, got.Rules[0].Hint, "add a rule with exists")
	require.Equal(t, "done", got.Evaluators[0].Status)
}

// What stopped an evaluator of a setup that matched is explained too.
func TestWhatStopsAnEvaluatorIsExplained(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key, theirs := h.key(t, "ours"), h.key(t, "theirs")
	make := func(name string, settings map[string]any) {
		body := map[string]any{"external_id": name, "evaluators": []string{"char-count"}, "evaluator_configs": map[string]any{"char-count": settings}}
		if len(settings) == 0 {
			delete(body, "evaluator_configs")
		}
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, body)
	}
	make("sampled", map[string]any{"sample_rate": 1e-9})
	make("unmapped", map[string]any{"input_mapping": map[string]any{"text": map[string]any{"source": "span_attributes", "key": "app.reply", "json_path": "0.text"}}})
	make("path", map[string]any{"input_mapping": map[string]any{"text": map[string]any{"source": "span_attributes", "key": "gen_ai.system", "json_path": "0.text"}}})
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "some", "evaluators": []string{"char-count"}, "min_spans": 50,
	})
	h.awaitStatus(t, key, "some", "waiting_for_spans")
	td := someTraces(1, 1)
	s := firstSpan(td)
	require.NoError(t, h.exportGRPC(t, key, td))

	got := h.explain(t, key, "sampled", s)
	require.True(t, got.Matched)
	require.Equal(t, "sampled_out", got.Evaluators[0].Reason)
	require.InDelta(t, 1e-9, got.Evaluators[0].Sample.Rate, 1e-15)
	require.Greater(t, got.Evaluators[0].Sample.Place, 1e-9)
	require.Contains(t, got.Evaluators[0].Sentence, "the trace's place is 0.")
	for name, at := range map[string]string{"unmapped": "source", "path": "json_path"} {
		one := h.explain(t, key, name, s).Evaluators[0]
		require.Equal(t, "missing_input", one.Reason)
		require.Len(t, one.Missing, 1)
		require.Equal(t, "text", one.Missing[0].Input)
		require.Equal(t, at, one.Missing[0].At)
		require.Equal(t, "0.text", one.Missing[0].Where["json_path"])
		require.Contains(t, one.Sentence, "text was looked for in span_attributes "+one.Missing[0].Where["key"])
	}
	got = h.explain(t, key, "some", s)
	require.Equal(t, "done", got.Evaluators[0].Status)
	require.Contains(t, got.Sentence, "waits for 50 spans that match, which are judged all the same")

	later := someTraces(3, 1)
	require.NoError(t, h.exportGRPC(t, theirs, later))
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", theirs, map[string]any{"external_id": "late", "evaluators": []string{"char-count"}})
	got = h.explain(t, theirs, "late", firstSpan(later))
	require.True(t, got.Matched)
	require.True(t, got.MadeAfterSpan)
	require.Equal(t, "none", got.Evaluators[0].Status)
	require.Equal(t, "made_after_span", got.Evaluators[0].Reason)
	require.Contains(t, got.Sentence, "a backfill judges it")
	job := h.backfill(t, theirs, "late")
	h.awaitJob(t, theirs, "late", job.ID, completed)
	require.Eventually(t, func() bool {
		return h.explain(t, theirs, "late", firstSpan(later)).Evaluators[0].Status == "done"
	}, patience, 10*time.Millisecond)

	// Another environment's span, and its setups, are not there.
	for _, path := range []string{explainPath(firstSpan(later)), explainPath(s) + "?setup=late"} {
		code, body := h.call(t, http.MethodGet, path, key, nil)
		require.Equal(t, http.StatusNotFound, code)
		require.Contains(t, string(body), "not found")
	}
	code, body := h.call(t, http.MethodGet, explainPath(firstSpan(later)), key, nil)
	require.Equal(t, http.StatusNotFound, code)
	require.Contains(t, string(body), "it never came to this environment")

	own := someTraces(4, 1)
	firstSpan(own).SetTraceID([16]byte{0x74, 0x6f, 0x75, 0x63, 0x68, 0x73, 0x74, 0x6f, 1})
	require.NoError(t, h.exportGRPC(t, key, own))
	all := must[explained](t, h, http.MethodGet, explainPath(firstSpan(own)), key, nil)
	require.True(t, all.OwnTraffic)
	require.Len(t, all.Setups, 4)
	for _, one := range all.Setups {
		require.Equal(t, "skipped", one.Evaluators[0].Status)
		require.Equal(t, "own_traffic", one.Evaluators[0].Reason)
		require.Contains(t, one.Evaluators[0].Sentence, "never judged")
	}
}

// The funnel finds the rule that stops every span, and a setup that is dead says
// so.
func TestDeadSetupsAreFound(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	// A quarter of the time of a request is for a thousand spans, and nothing is said of
	// fewer: a busy machine may take longer for them than a quarter of half a minute.
	h.settings = append(h.settings, "extensions::api::request_timeout: 20m", "extensions::api::http::write_timeout: 30m")
	h.start(t)
	t.Cleanup(func() { h.stop() })
	key := h.key(t, "ours")
	h.setup(t, key, "dead", []string{"char-count"}, []map[string]any{
		rule("gen_ai.system", "openai"),
		{"key": "service.name", "source": "span_attributes", "operator": "equals", "value": "shop"},
		rule("gen_ai.request.model", "gpt-4o-mini"),
	})
	h.setup(t, key, "alive", []string{"char-count"}, []map[string]any{rule("last", "true")})
	h.awaitStatus(t, key, "dead", "waiting_for_spans")
	status := func(name string) (s struct {
		Dead *struct {
			Spans    int             `json:"spans"`
			StopsAt  int             `json:"stops_at"`
			Example  json.RawMessage `json:"example"`
			Sentence string          `json:"sentence"`
		} `json:"dead"`
	},
	) {
		_, body := h.call(t, http.MethodGet, "/v2/auto-monitor-setups/"+name+"/status", key, nil)
		require.NoError(t, json.Unmarshal(body, &s))
		return s
	}
	now := func(trace byte, n int) ptrace.Traces {
		td := someTraces(trace, n)
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.SetStartTimestamp(timestamp(time.Now()))
			s.SetEndTimestamp(timestamp(time.Now()))
		}
		return td
	}
	require.NoError(t, h.exportGRPC(t, key, now(1, 999)))
	require.Nil(t, status("dead").Dead)
	td := now(2, 1)
	firstSpan(td).Attributes().PutBool("last", true)
	require.NoError(t, h.exportGRPC(t, key, td))
	dead := status("dead").Dead
	require.NotNil(t, dead)
	require.Equal(t, 1000, dead.Spans)
	require.Equal(t, 2, dead.StopsAt)
	require.Contains(t, dead.Sentence, "none of 1000 spans matched since")
	require.Contains(t, dead.Sentence, "it is in resource_attributes (service.name = \"shop\"): change the rule's source")
	h.awaitStatus(t, key, "alive", "completed")
	require.Nil(t, status("alive").Dead)

	type funnel struct {
		RestsOn  string `json:"rests_on"`
		Spans    int    `json:"spans"`
		Matched  int    `json:"matched"`
		StopsAt  int    `json:"stops_at"`
		Sentence string `json:"sentence"`
		Rules    []struct {
			Key    string `json:"key"`
			Passed int    `json:"passed"`
		} `json:"rules"`
	}
	got := must[funnel](t, h, http.MethodGet, "/v2/auto-monitor-setups/dead/funnel?from_timestamp_sec=0", key, nil)
	require.Equal(t, "totals", got.RestsOn)
	require.Equal(t, 1000, got.Spans)
	require.Equal(t, []int{1000, 0, 0}, []int{got.Rules[0].Passed, got.Rules[1].Passed, got.Rules[2].Passed})
	require.Equal(t, 2, got.StopsAt)
	require.Contains(t, got.Sentence, "change the rule's source")

	// What the store does not read as rules do is looked at one by one.
	h.setup(t, key, "derived", []string{"char-count"}, []map[string]any{rule("llm.vendor", "openai"), rule("last", "true")})
	got = must[funnel](t, h, http.MethodGet, "/v2/auto-monitor-setups/derived/funnel?from_timestamp_sec=0", key, nil)
	require.Equal(t, "spans", got.RestsOn)
	require.Equal(t, []int{1000, 1}, []int{got.Rules[0].Passed, got.Rules[1].Passed})
	require.Equal(t, 1, got.Matched)
	require.Zero(t, got.StopsAt)
	for query, want := range map[string]string{"": "from_timestamp_sec is required", "?from_timestamp_sec=x": "from_timestamp_sec must be a whole number"} {
		code, body := h.call(t, http.MethodGet, "/v2/auto-monitor-setups/dead/funnel"+query, key, nil)
		require.Equal(t, http.StatusBadRequest, code)
		require.Contains(t, string(body), want)
	}
	code, _ := h.call(t, http.MethodGet, "/v2/auto-monitor-setups/none/funnel?from_timestamp_sec=0", key, nil)
	require.Equal(t, http.StatusNotFound, code)

	// Spans that come late count by when they come.
	late := now(3, 1000)
	for _, s := range late.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.SetStartTimestamp(timestamp(time.Now().Add(-time.Hour)))
	}
	require.NoError(t, h.exportGRPC(t, key, late))
	dead = status("alive").Dead
	require.NotNil(t, dead, "it matched once, and nothing of what came since")
	require.Equal(t, 1000, dead.Spans)
	require.Equal(t, 1, dead.StopsAt)
}
