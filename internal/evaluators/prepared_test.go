// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// inputsOf takes the inputs of an example as a span has them: all texts.
func inputsOf(t *testing.T, x *eval.Example) func(f *eval.Field) (string, bool) {
	t.Helper()
	var given map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(x.Input), &given))
	texts := map[string]string{}
	for name, raw := range given {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		texts[name] = text
	}
	return func(f *eval.Field) (string, bool) {
		text, ok := texts[f.Name]
		return text, ok
	}
}

// A configuration that is read once serves several spans at a time, as if it had
// been read for each.
func TestPreparedEvaluatorsJudgeAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, e := range Catalog().All() {
		for i := range e.Examples {
			x := &e.Examples[i]
			get := inputsOf(t, x)
			want, refused := fromInputs(t.Context(), e, get, json.RawMessage(x.Config))
			p, err := e.Prepare(json.RawMessage(x.Config))
			if err != nil {
				require.Equal(t, refused, err)
				continue
			}
			var judging sync.WaitGroup
			results, errs := make([]eval.Result, 4), make([]error, 4)
			for n := range results {
				judging.Go(func() { results[n], errs[n] = p.FromInputs(t.Context(), get) })
			}
			judging.Wait()
			for n := range results {
				require.Equal(t, refused, errs[n], "%s: %s", e.Slug, x.About)
				require.Equal(t, want, results[n], "%s: %s", e.Slug, x.About)
			}
		}
	}
}
