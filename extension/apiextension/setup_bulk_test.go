// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// shownBulk is the answer to a bulk request as a client reads it.
type shownBulk struct {
	Setups []struct {
		ExternalID string      `json:"external_id"`
		Status     string      `json:"status"`
		Result     *shownSetup `json:"result"`
		Error      string      `json:"error"`
	} `json:"setups"`
}

func (h *testAPI) bulk(t *testing.T, key, items string) shownBulk {
	t.Helper()
	r := h.callUndocumented(t, "POST", setupsPath+"/bulk", key, `{"setups":[`+items+`]}`)
	require.Equal(t, http.StatusMultiStatus, r.status, r.body)
	return into[shownBulk](t, r)
}

func TestBulkCreatesAndReplaces(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	was := h.create(t, ours, `{"external_id":"m1","evaluators":["char-count"],"selector":{"a":"b"},"max_cost_per_day":1,
		"evaluator_configs":{"char-count":{"sample_rate":0.5}}}`)
	settle(t, h, tenant.EnvironmentID(was.EnvProjectID))
	h.create(t, theirs, `{"external_id":"m2","evaluators":["char-count"]}`)

	got := h.bulk(t, ours, `{"external_id":"m1","evaluators":["char-count","word-count"]},
		{"external_id":"m2","evaluators":["pii-detector"],"evaluator_configs":[{"slug":"pii-detector","sample_rate":0.25}],"deadline_sec":5},
		{"entity_type":"agent","entity_value":"a","evaluators":[{"evaluator_type":"char-count"}]}`)
	require.Len(t, got.Setups, 3)
	for i, id := range []string{"m1", "m2", "agent:a"} {
		item := got.Setups[i]
		require.Equal(t, id, item.ExternalID)
		require.Equal(t, "ok", item.Status)
		require.Empty(t, item.Error)
		require.Equal(t, "pending", item.Result.Status)
		require.Equal(t, *item.Result, h.get(t, ours, id))
	}
	now := got.Setups[0].Result
	require.Equal(t, was.ID, now.ID)
	require.Equal(t, was.CreatedAt, now.CreatedAt)
	require.Greater(t, now.UpdatedAt, was.UpdatedAt)
	require.Empty(t, now.InitRules, "replaced as a whole")
	require.Zero(t, now.MaxCostPerDay)
	require.Zero(t, now.Evaluators[0].SampleRate)
	require.Empty(t, now.Evaluators[0].ErrorMessage)
	require.InDelta(t, 0.25, got.Setups[1].Result.Evaluators[0].SampleRate, 0)
	require.EqualValues(t, 5, got.Setups[1].Result.DeadlineSec)
	require.Equal(t, []string{"char-count"}, h.get(t, theirs, "m2").slugs())

	stored, err := store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(was.EnvProjectID), "m1")
	require.NoError(t, err)
	require.EqualValues(t, 2, stored.Generation)
}

// An external_id that is another setup's id does not mean that setup.
func TestBulkTakesNoIDForAName(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	was := h.create(t, key, `{"external_id":"m1","evaluators":["char-count"]}`)
	got := h.bulk(t, key, `{"external_id":"`+was.ID+`","evaluators":["word-count"]}`)
	require.NotEqual(t, was.ID, got.Setups[0].Result.ID)
	require.Equal(t, []string{"char-count"}, h.get(t, key, "m1").slugs())
	require.Len(t, into[[]shownSetup](t, h.call(t, "GET", setupsPath, key, "")), 2)
}

func TestBulkItemsStandForThemselves(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	got := h.bulk(t, key, `{"external_id":"m0","evaluators":["x"]},
		{"external_id":"m1","evaluators":["char-count"],"selector":[{"key":"a","source":"span_attributes","operator":"like","value":"b"}]},
		{"external_id":"m2","evaluators":["char-count"]},
		{"external_id":"m3"},
		{"external_id":"m4","evaluators":["char-count"],"evaluator_configs":[{"slug":"char-count","sample_rate":7}]},
		{"external_id":"m5","evaluators":["char-count"],"max_cost_per_day":"much"}`)
	for i, want := range []string{
		`setups[0].evaluators[0]: unknown evaluator slug "x"`, `setups[1].selector[0].operator must be one of`, ``,
		`setups[3].evaluators is required`, `setups[4].evaluator_configs[0].sample_rate must be`, `setups[5].max_cost_per_day must be`,
	} {
		require.Equal(t, fmt.Sprintf("m%d", i), got.Setups[i].ExternalID)
		if want == "" {
			require.Equal(t, "ok", got.Setups[i].Status)
			continue
		}
		require.Equal(t, "error", got.Setups[i].Status)
		require.Nil(t, got.Setups[i].Result)
		require.Contains(t, got.Setups[i].Error, want)
	}
	require.Len(t, into[[]shownSetup](t, h.call(t, "GET", setupsPath, key, "")), 1)
}

func TestBulkIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const good = `{"external_id":"m0","evaluators":["char-count"]}`
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf(`{"external_id":"m%d","evaluators":["char-count"]}`, i)
	}
	for list, want := range map[string]string{
		`null`:                                  "setups is required",
		`{}`:                                    "setups must be an array",
		`[]`:                                    "setups must contain at least one item",
		`[` + strings.Join(many, ",") + `]`:     "setups must have at most 100 items",
		`[` + good + `,7]`:                      "setups[1] must be a JSON object",
		`[` + good + `,{}]`:                     "setups[1].external_id is required",
		`[` + good + `,{"external_id":""}]`:     "setups[1].external_id is required",
		`[` + good + `,{"external_id":7}]`:      "setups[1].external_id must be a string",
		`[` + good + `,{"external_id":"bulk"}]`: "setups[1].external_id must not be the reserved word",
		`[` + good + `,{"external_id":"preview"}]`:              "setups[1].external_id must not be the reserved word",
		`[` + good + `,{"entity_type":"x","entity_value":"y"}]`: "setups[1].entity_type must be one of",
		`[` + good + `,{"external_id":"m1"},` + good + `]`:      `setups[2]: duplicate external_id "m0" (also at setups[0])`,
	} {
		r := h.call(t, "POST", setupsPath+"/bulk", key, `{"setups":`+list+`}`)
		require.Equal(t, http.StatusBadRequest, r.status, "%.200s", list)
		require.Contains(t, r.message(t), want)
	}
	require.JSONEq(t, `[]`, h.call(t, "GET", setupsPath, key, "").body, "nothing was written")
	require.Len(t, h.bulk(t, key, strings.Join(many[:100], ",")).Setups, 100)
}
