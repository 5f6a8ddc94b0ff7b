// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// How much TestSelectorsAgreeEverywhere looks at: random setups, others each time, each
// against the random spans of its environment. Of environments there are as many times
// more as TOUCHSTONE_SOAK_ROUNDS says.
const (
	agreeingEnvironments = 4
	agreeingSetups       = 50 // of each
	agreeingSpans        = 20 // of each
)

// sentSpan is what a random span was sent with.
type sentSpan struct{ span, resource map[string]any }

// wantedRule is a random rule, and says itself whether it holds.
type wantedRule struct {
	Key      string   `json:"key"`
	Source   string   `json:"source"`
	Operator string   `json:"operator"`
	Value    *string  `json:"value,omitempty"`
	Values   []string `json:"values,omitempty"`
}

var (
	agreeingKeys = []string{
		"app.tier", "App.Tier", "app_tier", "model", "gen_ai.system", "gen_ai.request.model", "llm.vendor", "llm.request.model",
		"gen_ai.prompt.0.content", "llm.prompts.0.content", "number", "größe", "service.name",
	}
	agreeingValues = []any{"gold", "Gold", "silver", "openai", "OpenAI", "gpt-4o", "12", "12.0", "", "a%b_", "ß", "true", int64(12), 0.5, true, false}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func randomSpan(r *rand.Rand) sentSpan {
	s := sentSpan{map[string]any{}, map[string]any{}}
	for range r.IntN(8) {
		key, value := pick(r, agreeingKeys), pick(r, agreeingValues)
		switch key {
		case "gen_ai.prompt.0.content", "llm.prompts.0.content": // one spelling, and something said
			delete(s.span, "gen_ai.prompt.0.content")
			delete(s.span, "llm.prompts.0.content")
			value = pick(r, []any{"gold", "Gold and silver", "12"})
		case "gen_ai.system", "gen_ai.request.model", "llm.vendor", "llm.request.model":
			value = pick(r, []any{"openai", "OpenAI", "gpt-4o", ""})
		}
		s.span[key] = value
	}
	for range r.IntN(4) {
		s.resource[pick(r, []string{"service.name", "app.tier", "model", "größe"})] = pick(r, agreeingValues)
	}
	return s
}

func randomRules(r *rand.Rand) []wantedRule {
	rules := []wantedRule{}
	for range r.IntN(4) {
		rule := wantedRule{
			Key: pick(r, agreeingKeys), Source: pick(r, []string{"span_attributes", "span_attributes", "resource_attributes"}),
			Operator: pick(r, []string{"equals", "not_equals", "contains", "not_contains", "exists", "not_exists", "in", "not_in"}),
		}
		switch {
		case strings.HasSuffix(rule.Operator, "in"):
			for range 1 + r.IntN(3) {
				rule.Values = append(rule.Values, asText(pick(r, agreeingValues)))
			}
		case !strings.HasSuffix(rule.Operator, "exists"):
			text := asText(pick(r, agreeingValues))
			if strings.HasSuffix(rule.Operator, "contains") && text != "" {
				text = string([]rune(text)[:1])
			}
			rule.Value = &text
		}
		rules = append(rules, rule)
	}
	return rules
}

// asText is the text of an attribute.
func asText(value any) string {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return value.(string)
}

// text is what a span has under a key by the documented rules: what was sent,
// else what the span has in another convention.
func (s *sentSpan) text(source, key string) (string, bool) {
	if source == "resource_attributes" {
		v, found := s.resource[key]
		if !found {
			return "", false
		}
		return asText(v), true
	}
	if v, found := s.span[key]; found {
		return asText(v), true
	}
	var other string
	switch key {
	case "llm.vendor":
		other, _ = s.span["gen_ai.system"].(string)
		other = strings.ToLower(other)
	case "llm.request.model":
		other, _ = s.span["gen_ai.request.model"].(string)
	case "llm.prompts.0.content":
		other, _ = s.span["gen_ai.prompt.0.content"].(string)
	case "gen_ai.prompt.0.content":
		other, _ = s.span["llm.prompts.0.content"].(string)
	}
	return other, other != ""
}

func (r *wantedRule) holds(s *sentSpan) bool {
	text, found := s.text(r.Source, r.Key)
	positive := strings.TrimPrefix(r.Operator, "not_")
	holds := false
	switch {
	case !found:
	case positive == "exists":
		holds = true
	case positive == "equals":
		holds = text == *r.Value
	case positive == "contains":
		holds = strings.Contains(text, *r.Value)
	case positive == "in":
		for _, v := range r.Values {
			holds = holds || v == text
		}
	}
	return holds == (positive == r.Operator)
}

// trial is one environment's setups and spans, and who matches whom.
type trial struct {
	setups [][]wantedRule
	spans  []sentSpan
	otlp   ptrace.Traces
}

func newTrial(t *testing.T, r *rand.Rand) *trial {
	t.Helper()
	var c trial
	for range agreeingSetups {
		c.setups = append(c.setups, randomRules(r))
	}
	c.otlp = ptrace.NewTraces()
	for i := range agreeingSpans {
		sent := randomSpan(r)
		c.spans = append(c.spans, sent)
		rs := c.otlp.ResourceSpans().AppendEmpty()
		require.NoError(t, rs.Resource().Attributes().FromRaw(sent.resource))
		s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		require.NoError(t, s.Attributes().FromRaw(sent.span))
		s.SetName("s")
		s.SetTraceID([16]byte{7, byte(i), 15: 1})
		s.SetSpanID([8]byte{7, byte(i), 7: 1})
		s.SetStartTimestamp(timestamp(time.Now().Add(-time.Second)))
		s.SetEndTimestamp(timestamp(time.Now()))
	}
	return &c
}

func (c *trial) span(i int) ptrace.Span {
	return c.otlp.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
}

func (c *trial) matches(setup, span int) bool {
	for i := range c.setups[setup] {
		if !c.setups[setup][i].holds(&c.spans[span]) {
			return false
		}
	}
	return true
}

// count is how many of the spans match a setup.
func (c *trial) count(setup int) (n int) {
	for i := range c.spans {
		if c.matches(setup, i) {
			n++
		}
	}
	return n
}

func setupName(i int) string { return "m" + strconv.Itoa(i) }

func (c *trial) make(t *testing.T, h *collector, key string) {
	t.Helper()
	var list []map[string]any
	for i, rules := range c.setups {
		list = append(list, map[string]any{"external_id": setupName(i), "evaluators": []string{"char-count"}, "selector": rules})
	}
	must[any](t, h, http.MethodPost, "/v2/auto-monitor-setups/bulk", key, map[string]any{"setups": list})
}

// requireExplained holds what explanations say of rules, and the records that
// were made, against the reference.
func (c *trial) requireExplained(t *testing.T, h *collector, key string) {
	t.Helper()
	for i := range c.spans {
		setups := must[explained](t, h, http.MethodGet, explainPath(c.span(i)), key, nil).Setups
		require.Len(t, setups, agreeingSetups)
		for _, got := range setups {
			at, err := strconv.Atoi(got.ExternalID[1:])
			require.NoError(t, err)
			about := fmt.Sprintf("setup %+v\nspan %+v", c.setups[at], c.spans[i])
			require.Equal(t, c.matches(at, i), got.Matched, about)
			require.Equal(t, c.matches(at, i), got.Evaluators[0].Status != "none", "a record: "+about)
			for j, rule := range got.Rules {
				require.Equal(t, c.setups[at][j].holds(&c.spans[i]), rule.Holds, about)
				text, found := c.spans[i].text(c.setups[at][j].Source, c.setups[at][j].Key)
				require.Equal(t, found, rule.Present, about)
				require.Equal(t, text, rule.Actual, about)
			}
		}
	}
}

// requirePreviewed holds what previews match against the reference.
func (c *trial) requirePreviewed(t *testing.T, h *collector, key string) {
	t.Helper()
	for at, rules := range c.setups {
		got := must[struct {
			Matched int `json:"matched"`
			Samples []struct {
				SpanID string `json:"span_id"`
			} `json:"samples"`
		}](t, h, http.MethodPost, "/v2/auto-monitor-setups/preview", key, map[string]any{
			"evaluators": []string{"char-count"}, "selector": rules, "from_timestamp_sec": 0, "limit": 50,
		})
		var want, matched []string
		for i := range c.spans {
			if c.matches(at, i) {
				want = append(want, c.span(i).SpanID().String())
			}
		}
		for _, s := range got.Samples {
			matched = append(matched, s.SpanID)
		}
		slices.Sort(want)
		slices.Sort(matched)
		require.Equal(t, want, matched, "%+v", rules)
		require.Equal(t, len(want), got.Matched)
	}
}

// What a preview, the live pipeline, a backfill and an explanation take a
// selector to mean is one and the same: what the documentation says.
func TestSelectorsAgreeEverywhere(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if text := os.Getenv("TOUCHSTONE_TEST_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("TOUCHSTONE_TEST_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	h := startJudgedCollector(t, t.TempDir(), nil, "receivers::backlog::backfill: {page: 100, share: 1}")
	matched := 0
	environments := agreeingEnvironments * soakRounds(1)
	for n := range environments {
		c := newTrial(t, r)
		live, later := h.key(t, fmt.Sprintf("live %d", n)), h.key(t, fmt.Sprintf("later %d", n))
		c.make(t, h, live)
		require.NoError(t, h.exportGRPC(t, live, c.otlp))
		c.requireExplained(t, h, live)
		c.requirePreviewed(t, h, live)

		require.NoError(t, h.exportGRPC(t, later, c.otlp))
		c.make(t, h, later)
		for from := 0; from < len(c.setups); from += store.MaxOpenBackfillsInAll {
			jobs := make([]backfillJob, min(store.MaxOpenBackfillsInAll, len(c.setups)-from))
			for i := range jobs {
				jobs[i] = h.backfill(t, later, setupName(from+i))
			}
			for i := range jobs {
				done := h.awaitJob(t, later, setupName(from+i), jobs[i].ID, completed)
				require.Equal(t, c.count(from+i), done.Matched, "%+v", c.setups[from+i])
				matched += done.Matched
			}
		}
		c.requireExplained(t, h, later)
	}
	share := float64(matched) / float64(environments*agreeingSetups*agreeingSpans)
	t.Logf("%d setups, %d spans, %.0f %% of the pairs match", environments*agreeingSetups, environments*agreeingSpans, 100*share)
	require.Greater(t, share, 0.1)
	require.Less(t, share, 0.9)
}
