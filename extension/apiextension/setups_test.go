// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const setupsPath = "/v2/auto-monitor-setups"

// shownSetup is a setup as a client reads it.
type shownSetup struct {
	ID           string           `json:"id"`
	ExternalID   string           `json:"external_id"`
	OrgID        string           `json:"org_id"`
	ProjectID    string           `json:"project_id"`
	EnvProjectID string           `json:"env_project_id"`
	EntityType   string           `json:"entity_type"`
	EntityValue  string           `json:"entity_value"`
	InitRules    []map[string]any `json:"init_rules"`
	Evaluators   []struct {
		EvaluatorType string              `json:"evaluator_type"`
		EvaluatorID   string              `json:"evaluator_id"`
		InputSchema   []map[string]string `json:"input_schema"`
		OutputSchema  []map[string]string `json:"output_schema"`
		Config        map[string]any      `json:"config"`
		InputMapping  map[string]any      `json:"input_mapping"`
		SampleRate    float64             `json:"sample_rate"`
		Backend       string              `json:"backend"`
		Status        string              `json:"status"`
		ErrorMessage  string              `json:"error_message"`
		ProcessedAt   string              `json:"processed_at"`
	} `json:"evaluators"`
	MinSpans       int64               `json:"min_spans"`
	OtherLanguages string              `json:"other_languages"`
	OnVerdict      []monitor.OnVerdict `json:"on_verdict"`
	MaxCostPerDay  float64             `json:"max_cost_per_day"`
	DeadlineSec    int64               `json:"deadline_sec"`
	Paused         bool                `json:"paused"`
	PausedSince    string              `json:"paused_since"`
	ResumedAt      string              `json:"resumed_at"`
	Status         string              `json:"status"`
	CreatedAt      string              `json:"created_at"`
	UpdatedAt      string              `json:"updated_at"`
}

func (s shownSetup) slugs() (slugs []string) {
	for _, e := range s.Evaluators {
		slugs = append(slugs, e.EvaluatorType)
	}
	return slugs
}

// create makes a setup that must be taken.
func (h *testAPI) create(t *testing.T, key, body string) shownSetup {
	t.Helper()
	r := h.call(t, "POST", setupsPath, key, body)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	return into[shownSetup](t, r)
}

func (h *testAPI) get(t *testing.T, key, name string) shownSetup {
	t.Helper()
	r := h.call(t, "GET", setupsPath+"/"+url.PathEscape(name), key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownSetup](t, r)
}

func TestSetupIsPendingOnCreation(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	owner, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)

	s := h.create(t, key, `{"external_id":"m1","evaluators":["char-count","word-count"],
		"selector":[{"key":"gen_ai.system","value":"openai","source":"span_attributes"}]}`)
	require.NotEmpty(t, s.ID)
	require.Equal(t, "m1", s.ExternalID)
	require.Equal(t, owner.Environment.OrganizationID, s.OrgID)
	require.Equal(t, owner.Environment.ProjectID, s.ProjectID)
	require.Equal(t, string(owner.Environment.ID), s.EnvProjectID)
	require.Equal(t, []map[string]any{{"key": "gen_ai.system", "value": "openai", "source": "span_attributes", "operator": "equals"}}, s.InitRules)
	require.Equal(t, "pending", s.Status)
	require.Equal(t, []string{"char-count", "word-count"}, s.slugs())
	for _, e := range s.Evaluators {
		require.Equal(t, "pending", e.Status)
		require.NotEmpty(t, e.InputSchema)
		require.NotEmpty(t, e.OutputSchema)
		require.Empty(t, e.ErrorMessage+e.ProcessedAt)
	}
	require.Equal(t, []map[string]string{{"type": "string", "name": "text", "description": s.Evaluators[0].InputSchema[0]["description"]}}, s.Evaluators[0].InputSchema)
	require.Equal(t, s.CreatedAt, s.UpdatedAt)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, s.CreatedAt)

	require.Equal(t, s, h.get(t, key, "m1"))
	require.Equal(t, s, h.get(t, key, s.ID))
	stored, err := store.Setups(h.live).Get(t.Context(), owner.Environment.ID, "m1")
	require.NoError(t, err)
	require.EqualValues(t, 1, stored.Generation)
}

func TestSetupKeepsEveryOperator(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	s := h.create(t, key, `{"external_id":"m","evaluators":["char-count"],"selector":[
		{"key":"a","value":"<&>\\\"'%_","source":"span_attributes","operator":"equals"},
		{"key":"a","value":1.50,"source":"resource_attributes","operator":"not_equals"},
		{"key":"a","value":true,"source":"span_attributes","op":"contains","value_type":"string"},
		{"key":"a","value":"","source":"span_attributes","operator":"not_contains","op":"not_contains"},
		{"key":"a","source":"span_attributes","operator":"exists","value":"dropped"},
		{"key":"a","source":"span_attributes","operator":"not_exists","values":["dropped"]},
		{"key":"a","source":"span_attributes","operator":"in","values":["x",7]},
		{"key":"a","source":"span_attributes","operator":"not_in","values":[false]}]}`)
	rule := func(operator, more string, value any) map[string]any {
		r := map[string]any{"key": "a", "source": "span_attributes", "operator": operator}
		if more != "" {
			r[more] = value
		}
		return r
	}
	want := []map[string]any{
		rule("equals", "value", `<&>\"'%_`), rule("not_equals", "value", "1.50"), rule("contains", "value", "true"),
		rule("not_contains", "value", ""), rule("exists", "", nil), rule("not_exists", "", nil),
		rule("in", "values", []any{"x", "7"}), rule("not_in", "values", []any{"false"}),
	}
	want[1]["source"] = "resource_attributes"
	require.Equal(t, want, s.InitRules)
	require.Equal(t, s, h.get(t, key, "m"))
}

func TestSetupWithoutSelectorHasAnEmptyOne(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for i, selector := range []string{``, `,"selector":null`, `,"selector":[]`, `,"selector":{}`} {
		r := h.call(t, "POST", setupsPath, key, fmt.Sprintf(`{"external_id":"m%d","evaluators":["char-count"]%s}`, i, selector))
		require.Equal(t, http.StatusCreated, r.status, r.body)
		require.Contains(t, r.body, `"init_rules":[]`)
	}
}

func TestSetupTakesASelectorAsAMap(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	s := h.create(t, h.newKey(t), `{"external_id":"m","evaluators":["char-count"],"selector":{"gen_ai.system":"openai","gen_ai.request.max_tokens":1000}}`)
	require.Equal(t, []map[string]any{
		{"key": "gen_ai.request.max_tokens", "value": "1000", "source": "span_attributes", "operator": "equals"},
		{"key": "gen_ai.system", "value": "openai", "source": "span_attributes", "operator": "equals"},
	}, s.InitRules)
}

func TestSetupForAnEntityNeedsNoExternalID(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for kind, attribute := range map[string]string{
		"workflow": "traceloop.workflow.name", "agent": "gen_ai.agent.name",
		"task": "traceloop.entity.name", "tool": "traceloop.entity.name",
	} {
		s := h.create(t, key, fmt.Sprintf(`{"entity_type":%q,"entity_value":"jokes/é","evaluators":[{"evaluator_type":"char-count"}]}`, kind))
		require.Equal(t, kind+":jokes/é", s.ExternalID)
		require.Equal(t, kind, s.EntityType)
		require.Equal(t, "jokes/é", s.EntityValue)
		require.Equal(t, []map[string]any{{"key": attribute, "value": "jokes/é", "source": "span_attributes", "operator": "equals"}}, s.InitRules)
		require.Equal(t, s, h.get(t, key, s.ExternalID))
	}
	s := h.create(t, key, `{"external_id":"own","entity_type":"agent","entity_value":"a","evaluators":["char-count"],"selector":{"k":"v"}}`)
	require.Equal(t, "own", s.ExternalID)
	require.Len(t, s.InitRules, 2)
	r := h.call(t, "GET", setupsPath+"?entity_type=agent", key, "")
	require.Len(t, into[[]shownSetup](t, r), 2)
}

func TestSetupNamesAreTakenOncePerEnvironment(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	const body = `{"external_id":"m1","evaluators":["char-count"]}`
	mine := h.create(t, ours, body)
	r := h.call(t, "POST", setupsPath, ours, body)
	require.Equal(t, http.StatusConflict, r.status)
	require.Contains(t, r.message(t), "external_id")

	for _, name := range []string{"m1", mine.ID} {
		for _, method := range []string{"GET", "DELETE"} {
			r := h.call(t, method, setupsPath+"/"+name, theirs, "")
			require.Equal(t, http.StatusNotFound, r.status)
			require.JSONEq(t, `{"error":"auto monitor setup not found"}`, r.body)
		}
		require.Equal(t, http.StatusNotFound, h.call(t, "PUT", setupsPath+"/"+name, theirs, `{}`).status)
	}
	require.JSONEq(t, `[]`, h.call(t, "GET", setupsPath, theirs, "").body)
	other := h.create(t, theirs, body)
	require.NotEqual(t, mine.ID, other.ID)
	require.NotEqual(t, mine.OrgID, other.OrgID)
	require.Equal(t, mine, h.get(t, ours, "m1"))
}

func TestOneOfManyTakesAName(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	plain := &http.Client{Transport: &http.Transport{}} // the inspector fails only on the test's own goroutine
	defer plain.CloseIdleConnections()
	statuses := make(chan int)
	for range 8 {
		go func() {
			r, _ := http.NewRequest(http.MethodPost, h.url+setupsPath, strings.NewReader(`{"external_id":"m1","evaluators":["char-count"]}`))
			r.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}}
			resp, err := plain.Do(r)
			if err != nil {
				statuses <- 0
				return
			}
			_ = resp.Body.Close()
			statuses <- resp.StatusCode
		}()
	}
	counts := map[int]int{}
	for range 8 {
		counts[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: 7}, counts)
}

func TestSetupsAreListedAndNarrowed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, id := range []string{"b", "a", "c d/e?%"} {
		h.create(t, key, fmt.Sprintf(`{"external_id":%q,"evaluators":["char-count"]}`, id))
	}
	for params, want := range map[string][]string{
		"":                              {"b", "a", "c d/e?%"},
		"?status=pending":               {"b", "a", "c d/e?%"},
		"?status=":                      {"b", "a", "c d/e?%"},
		"?unknown=x":                    {"b", "a", "c d/e?%"},
		"?status=active":                nil,
		"?status=pending&external_id=a": {"a"},
		"?external_id=c+d%2Fe%3F%25":    {"c d/e?%"},
		"?external_id=' OR 1=1 --":      nil,
		"?external_id=%00":              nil,
		"?entity_type=workflow":         nil,
	} {
		r := h.call(t, "GET", setupsPath+strings.ReplaceAll(params, " ", "+"), key, "")
		require.Equal(t, http.StatusOK, r.status, params)
		var got []string
		for _, s := range into[[]shownSetup](t, r) {
			got = append(got, s.ExternalID)
		}
		require.Equal(t, want, got, params)
		require.True(t, strings.HasPrefix(r.body, "["), "never null")
	}
	r := h.call(t, "GET", setupsPath+"?status=%zz", key, "")
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, "c d/e?%", h.get(t, key, "c d/e?%").ExternalID)
}
