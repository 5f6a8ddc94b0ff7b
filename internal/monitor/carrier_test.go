// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

var carried = []eval.Evaluation{
	{
		SetupID: "s1", Evaluator: "trajectory", Status: eval.Done, Backend: eval.Deterministic, Truncated: true, Duration: 7, Time: 9,
		Outputs: []eval.Output{{Name: "reason", Value: "why"}, {Name: "score", Value: 0.5}, {Name: "success", Value: true}, {Name: "count", Value: int64(3)}},
	},
	{SetupID: "s2", Evaluator: "perplexity", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: 10},
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

func FuzzUnpack(f *testing.F) {
	f.Add(pack(carried))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		first := unpack(string(b))
		again := unpack(string(pack(first)))
		require.Len(t, again, len(first))
		for i := range first {
			require.Equal(t, first[i].Evaluator, again[i].Evaluator)
			require.Len(t, again[i].Outputs, len(first[i].Outputs))
		}
	})
}
