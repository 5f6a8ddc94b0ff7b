// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// carriedSetups returns setups and a custom evaluator in which every field is set.
func givenSetups(t *testing.T) ([]Setup, []eval.CustomEvaluator) {
	t.Helper()
	value := "gpt-4o"
	half := 0.5
	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
	setups := []Setup{{
		ID: "s1", ExternalID: "x", OrganizationID: "o", ProjectID: "p", EnvironmentID: "e",
		Selector: Selector{
			{Key: `llm "q" \ %_`, Source: SpanAttributes, Operator: query.OpEquals, Value: &value},
			{Key: "größe", Source: ResourceAttributes, Operator: query.OpIn, Values: []string{"a", ""}},
		},
		Evaluators: []SetupEvaluator{
			{
				Slug: "json-validator", Config: json.RawMessage(`{"a":[1,2.50]}`), Backend: "auto", SampleRate: 0.25, Status: Completed, ProcessedAt: at,
				Inputs: map[string]InputSource{"text": {Source: Span, Key: "output", Path: "0.text", Pattern: `"(.+)"`}},
			},
			{Slug: "quality-judge", CustomID: "c1", Status: FailedStatus, ErrorMessage: "no judge"},
		},
		MaxCostPerDay: 1.5, Deadline: time.Hour, EntityType: "workflow", EntityValue: "w", Status: Partial,
		Revision: 4, Generation: 2, CreatedAt: at, UpdatedAt: at,
	}, {ID: "s2", Evaluators: []SetupEvaluator{{Slug: "char-count"}}}}
	customs := []eval.CustomEvaluator{{
		ID: "c1", Slug: "quality-judge", EnvironmentID: "e", Name: "Q", Provider: "openai", Model: "m", LogProbs: true,
		Messages: []eval.CustomMessage{{Role: eval.RoleSystem, Content: "You judge {{text}}."}},
		Input:    []eval.CustomField{{Name: "text", Type: eval.CustomString}},
		Output:   []eval.CustomField{{Name: "label", Type: eval.CustomEnum, Values: []string{"good", "bad"}}},
		Sampling: eval.Sampling{Temperature: &half, Stop: []string{"END"}}, Version: 3, VersionID: "v3", CreatedAt: at, UpdatedAt: at,
	}}
	return setups, customs
}

func TestSetupsAreCarriedWhole(t *testing.T) {
	t.Parallel()
	setups, customs := givenSetups(t)
	m := pcommon.NewMap()
	CarrySetups(m, setups, customs)
	got, gotCustoms, err := CarriedSetups(m)
	require.NoError(t, err)
	require.Equal(t, setups, got)
	require.Equal(t, customs, gotCustoms)
	require.NotNil(t, setups[0].Evaluators[0].Config, "what was carried stays as it was")

	CarrySetups(m, nil, nil)
	got, gotCustoms, err = CarriedSetups(m)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Empty(t, gotCustoms)
}

func TestDamagedSetupsAreRefused(t *testing.T) {
	t.Parallel()
	refused := func(m pcommon.Map) {
		setups, customs, err := CarriedSetups(m)
		require.True(t, fault.Is(err, fault.Invalid))
		require.ErrorContains(t, err, tenant.AttributeSetups)
		require.Nil(t, setups)
		require.Nil(t, customs)
	}
	m := pcommon.NewMap()
	refused(m)
	m.PutStr(tenant.AttributeSetups, `{"setups":[]}`)
	refused(m)
	for _, hostile := range []string{
		"", "null,", "[]", `{"setups":7}`, `{"setups":[{"evaluators":[7]}]}`,
		`{"setups":[{"selector":[{"key":"a","source":"span_attributes","operator":"equals"}]}]}`,
		`{"setups":[{"selector":[{"key":"a","source":"span_attributes","operator":"like","value":"x"}]}]}`,
		strings.Repeat("[", 100_000), `{"setups":[{"max_cost_per_day":1e999}]}`,
	} {
		m.PutEmptyBytes(tenant.AttributeSetups).FromRaw([]byte(hostile))
		refused(m)
	}
	m.PutEmptyBytes(tenant.AttributeSetups).FromRaw(make([]byte, maxCarriedSetups+1))
	refused(m)
	for _, broken := range []Setup{
		{MaxCostPerDay: math.NaN()}, {Evaluators: []SetupEvaluator{{Config: json.RawMessage("{\x00")}}},
	} {
		CarrySetups(m, []Setup{broken}, nil)
		refused(m)
	}
}

func FuzzUnpackSetups(f *testing.F) {
	m := pcommon.NewMap()
	CarrySetups(m, []Setup{{ID: "s", Selector: Selector{{Key: "k", Source: SpanAttributes, Operator: query.OpExists}}, Evaluators: []SetupEvaluator{{Slug: "a"}}}}, nil)
	v, _ := m.Get(tenant.AttributeSetups)
	f.Add(v.Bytes().AsRaw())
	f.Add([]byte(`{"setups":[{"id":"a","evaluators":[{"config":{"x":1},"inputs":{"x":{"source":"span","key":"output","regex":"("}}}]}]}`))
	f.Fuzz(func(t *testing.T, packed []byte) {
		setups, customs, err := UnpackSetups(packed)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			return
		}
		// Whatever was unpacked can be compiled, matched and carried again.
		for _, m := range CompileAll(setups, func(*SetupEvaluator) (*eval.Evaluator, error) { return nil, nil }).List {
			m.Setup.Selector.Matches(attributes{})
		}
		again := pcommon.NewMap()
		CarrySetups(again, setups, customs)
		_, _, err = CarriedSetups(again)
		require.NoError(t, err)
	})
}
