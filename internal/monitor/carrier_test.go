// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var carried = []eval.Evaluation{
	{
		SetupID: "s1", Evaluator: "trajectory", Status: eval.Done, Backend: eval.Deterministic, Truncated: true, Duration: 7, Time: 9,
		Outputs: []eval.Output{{Name: "reason", Value: "why"}, {Name: "score", Value: 0.5}, {Name: "success", Value: true}, {Name: "count", Value: int64(3)}},
	},
	{SetupID: "s2", Evaluator: "perplexity", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: 10},
	{SetupID: "s2", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 1 << 60, Due: 1<<60 + 7},
	{
		SetupID: "s3", Evaluator: "quality-judge", Status: eval.Failed, Reason: "größe \x00", Version: "v/1", Time: math.MinInt64, Due: math.MaxInt64,
		Attempts: 5, Usage: eval.Usage{PromptTokens: 1200, CompletionTokens: 3, Cost: 0.0125, Unpriced: true},
	},
	{SetupID: "s3", Evaluator: "x", Status: eval.Done, Usage: eval.Usage{Unpriced: true}},
	{
		SetupID: "s4", Evaluator: "x", Status: eval.Done, Model: "gpt-4o-2024-11-20", Cached: true, Generation: 300, Probability: 0.1,
		Source: eval.FromSDK,
	},
	{SetupID: "s5", Evaluator: "x", Status: eval.Done, Generation: 1, Probability: 1, Source: eval.FromTouchstone},
}

func TestCarriedIsWhatWasCarried(t *testing.T) {
	t.Parallel()
	m := pcommon.NewMap()
	m.PutStr("kept", "x")
	Carry(m, carried[:1])
	Carry(m, carried[1:]) // a second processor adds to the first
	require.Equal(t, carried, Carried(m))

	score, _ := m.Get("evaluation.trajectory.score")
	require.Equal(t, pcommon.ValueTypeDouble, score.Type())
	success, _ := m.Get("evaluation.trajectory.success")
	require.Equal(t, pcommon.ValueTypeBool, success.Type())
	count, _ := m.Get("evaluation.trajectory.count")
	require.Equal(t, pcommon.ValueTypeInt, count.Type())
	_, shown := m.Get("evaluation.perplexity.perplexity_score")
	require.False(t, shown)
}

// What is shown under one key is the last of it, whatever else is carried in between.
func TestLastVerdictIsShown(t *testing.T) {
	t.Parallel()
	verdict := func(setup, slug string, outputs ...eval.Output) eval.Evaluation {
		return eval.Evaluation{SetupID: setup, Evaluator: slug, Status: eval.Done, Probability: 1, Source: eval.FromTouchstone, Outputs: outputs}
	}
	var evaluations []eval.Evaluation
	for i := range int64(40) {
		evaluations = append(evaluations, verdict("a", "count", eval.Output{Name: "n", Value: i}), verdict("b", "other", eval.Output{Name: "n", Value: -i}))
	}
	evaluations = append(evaluations,
		verdict("c", "count", eval.Output{Name: "words", Value: int64(7)}),
		eval.Evaluation{SetupID: "d", Evaluator: "other", Status: eval.Skipped, Probability: 1, Source: eval.FromTouchstone})
	m := pcommon.NewMap()
	Carry(m, evaluations)
	require.Equal(t, evaluations, Carried(m))
	m.Remove(tenant.AttributeEvaluations)
	require.Equal(t, map[string]any{
		"evaluation.count.n": int64(39), "evaluation.other.n": int64(-39), "evaluation.count.words": int64(7),
	}, m.AsRaw())
}

func TestNothingIsCarriedForNothing(t *testing.T) {
	t.Parallel()
	m := pcommon.NewMap()
	Carry(m, nil)
	require.Zero(t, m.Len())
	require.Empty(t, Carried(m))
}

// Another component may have put anything under the key.
func TestDamagedCarriersAreReadUpToTheDamage(t *testing.T) {
	t.Parallel()
	m := pcommon.NewMap()
	m.PutStr("touchstone.evaluations", "x")
	require.Empty(t, Carried(m))
	Carry(m, carried)
	require.Equal(t, carried, Carried(m))

	packed, _ := m.Get("touchstone.evaluations")
	whole := packed.Bytes().AsRaw()
	for cut := range len(whole) {
		packed.Bytes().FromRaw(whole[:cut])
		got := Carried(m)
		require.Less(t, len(got), len(carried))
		for i := range got {
			require.Equal(t, carried[i], got[i])
		}
	}
}

// The carrier crosses processes, in the wire format of traces.
func TestCarriersCrossTheWire(t *testing.T) {
	t.Parallel()
	sent := ptrace.NewTraces()
	rs := sent.ResourceSpans().AppendEmpty()
	setups, customs := givenSetups(t)
	CarrySetups(rs.Resource().Attributes(), setups, customs)
	Carry(rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes(), carried)
	for _, cross := range []func(ptrace.Traces) (ptrace.Traces, error){
		func(td ptrace.Traces) (ptrace.Traces, error) {
			b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			return (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(b)
		},
		func(td ptrace.Traces) (ptrace.Traces, error) {
			b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			return (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
		},
	} {
		got, err := cross(sent)
		require.NoError(t, err)
		rs := got.ResourceSpans().At(0)
		require.Equal(t, carried, Carried(rs.ScopeSpans().At(0).Spans().At(0).Attributes()))
		gotSetups, gotCustoms, err := CarriedSetups(rs.Resource().Attributes())
		require.NoError(t, err)
		require.Equal(t, setups, gotSetups)
		require.Equal(t, customs, gotCustoms)
	}
}

func TestRecarriedIsAllThereIs(t *testing.T) {
	t.Parallel()
	m := pcommon.NewMap()
	Carry(m, carried)
	Recarry(m, carried[1:2])
	require.Equal(t, carried[1:2], Carried(m))
	Recarry(m, nil)
	require.Empty(t, Carried(m))
}

// An ordinary evaluation stays small: it is written for every matched span.
func TestWhatIsZeroTakesNoRoom(t *testing.T) {
	t.Parallel()
	plain := []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Done, Probability: 1, Source: eval.FromTouchstone}}
	require.Len(t, pack(nil, plain), 2+2+5+1+1+1+1+2+1)
	plain[0].Due, plain[0].Time, plain[0].Generation = 1, 1, 100
	require.Len(t, pack(nil, plain), 2+2+5+1+1+1+1+2+1+1+1)
}

func TestImpossibleNumbersAreDamage(t *testing.T) {
	t.Parallel()
	for _, cost := range []float64{math.NaN(), math.Inf(1), -1} {
		require.Empty(t, first(unpack(string(pack(nil, []eval.Evaluation{{Usage: eval.Usage{Cost: cost}}})))))
	}
	for _, p := range []float64{math.NaN(), math.Inf(1), -0.5, 1.5} {
		require.Empty(t, first(unpack(string(pack(nil, []eval.Evaluation{{Probability: p}})))))
	}
	one := pack(nil, []eval.Evaluation{{Probability: 1, Source: eval.FromTouchstone}})
	one[len(one)-2] = 0xff // bits of another version
	require.Empty(t, first(unpack(string(one))))
}

func first(evaluations []eval.Evaluation, _ bool) []eval.Evaluation { return evaluations }

// What the release before wrote had no version, and is read; what the one after writes
// is not.
func TestCarriersOfOtherReleases(t *testing.T) {
	t.Parallel()
	own := []eval.Evaluation{{SetupID: "0190163d-8694-739b-aea5-966c26f8ad91", Evaluator: "x", Status: eval.Skipped, Probability: 1, Source: eval.FromTouchstone}}
	opinion := []eval.Evaluation{{Evaluator: "sdk:x", Status: eval.Done, Probability: 1, Source: eval.FromSDK, Outputs: []eval.Output{{Name: "n", Value: int64(1)}}}}
	for _, before := range [][]eval.Evaluation{own, opinion} {
		m := pcommon.NewMap()
		m.PutEmptyBytes(tenant.AttributeEvaluations).FromRaw(pack(nil, before))
		require.Equal(t, before, Carried(m))
		Carry(m, own)
		require.Equal(t, slices.Concat(before, own), Carried(m))
		packed, _ := m.Get(tenant.AttributeEvaluations)
		require.Equal(t, carrierVersion, packed.Bytes().At(0))
	}
	m := pcommon.NewMap()
	m.PutEmptyBytes(tenant.AttributeEvaluations).FromRaw(pack([]byte{carrierVersion + 1}, own))
	require.Empty(t, Carried(m))
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(nil, carried))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		first, _ := unpack(string(b))
		again, whole := unpack(string(pack(nil, first)))
		require.True(t, whole)
		require.Len(t, again, len(first))
		for i := range first {
			require.Equal(t, first[i].Evaluator, again[i].Evaluator)
			require.Equal(t, first[i].Usage, again[i].Usage)
			require.Equal(t, first[i].Attempts, again[i].Attempts)
			require.Equal(t, first[i].Due, again[i].Due)
			require.Equal(t, first[i].Version, again[i].Version)
			require.Len(t, again[i].Outputs, len(first[i].Outputs))
		}
	})
}

func TestContentIsCarried(t *testing.T) {
	t.Parallel()
	for _, digest := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
		m := pcommon.NewMap()
		CarryContent(m, digest)
		require.Equal(t, digest, CarriedContent(m))
		Recarry(m, carried)
		require.Equal(t, digest, CarriedContent(m))
	}
	m := pcommon.NewMap()
	m.PutStr(tenant.AttributeContent, "5")
	require.Zero(t, CarriedContent(m))
}
