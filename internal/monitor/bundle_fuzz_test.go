// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// FuzzUnpackBundle reads what a gateway, or the disk of a sidecar, may say: setups that
// can be worked with and kept as they are, or one sentence that quotes nothing.
func FuzzUnpackBundle(f *testing.F) {
	for _, s := range []string{
		`{"version":1,"environment_id":"e","made_at":"2026-01-01T00:00:00Z","setups":[{"id":"a","environment_id":"e","generation":1,"evaluators":[{"slug":"char-count"}],` +
			`"selector":[{"key":"k","source":"span_attributes","operator":"in","values":["x"],"value":"y"}]}],"hash_key":"AAAA"}`,
		`{"version":1,"environment_id":"e","setups":[{"id":"a","environment_id":"e","generation":1,"on_verdict":[{"evaluator":"a","output":"b","action":"drop"}],"evaluators":[{"slug":"a","config":null,"sample_rate":-1,"inputs":{"x":{"source":"span","key":"output","regex":"("}}}]}]}`,
		`{"version":2,"environment_id":"A SECRET"}`, `{"version":1}`, `{"version":1,"environment_id":"e","setups":[{}]}`, `A SECRET`, `{"version":1,"environment_id":"e","made_at":"A SECRET"}`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		b, err := UnpackBundle(packed)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			require.Less(t, len(err.Error()), 120)
			require.NotContains(t, err.Error(), "SECRET")
			require.Empty(t, b)
			return
		}
		require.NotEmpty(t, b.Environment)
		for _, m := range CompileAll(b.Setups, func(*SetupEvaluator) (*eval.Evaluator, error) { return nil, nil }).List {
			m.Setup.Selector.Matches(attributes{})
		}
		for i := range b.Setups {
			require.Equal(t, b.Environment, b.Setups[i].EnvironmentID)
		}
		again, err := json.Marshal(&b)
		require.NoError(t, err)
		same, err := UnpackBundle(again)
		require.NoError(t, err)
		twice, err := json.Marshal(&same)
		require.NoError(t, err)
		require.Equal(t, string(again), string(twice))
	})
}
