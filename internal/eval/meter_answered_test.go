// SPDX-License-Identifier: Apache-2.0

package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// answers is a model whose answers a test hands out.
type answers []struct {
	model  string
	cached bool
	err    error
}

func (a *answers) Embed(context.Context, []string) (eval.Embeddings, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	return eval.Embeddings{Model: next.model, Cached: next.cached}, next.err
}

func TestMeterTellsWhoAnswered(t *testing.T) {
	t.Parallel()
	var m eval.Meter
	model := eval.Models{Embedder: &answers{
		{"", false, errors.New("away")}, {"a", true, nil}, {"a", true, nil}, {"b", false, nil}, {"b", true, nil},
	}}.Metered(&m).Embedder
	for _, want := range []string{`["",false]`, `["a",true]`, `["a",true]`, `["b",false]`, `["b",false]`} {
		_, _ = model.Embed(t.Context(), nil)
		name, cached := m.Answered()
		got, err := json.Marshal([]any{name, cached})
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
}
