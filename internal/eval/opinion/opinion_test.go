// SPDX-License-Identifier: Apache-2.0

package opinion_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestOpinionsAreStoredAsOfTheirSource(t *testing.T) {
	t.Parallel()
	for _, o := range []opinion.Opinion{
		{Source: eval.FromSDK, Name: "Correctness", By: "judge-v2", Model: "gpt", Version: "3", Time: 7, Outputs: []eval.Output{{Name: "score", Value: 0.5}}},
		{Source: eval.FromSDK, Name: "a.b:c", Of: "trace", Outputs: []eval.Output{{Name: "label", Value: "ok"}}},
		{Source: eval.FromSDK, Name: "broken", By: "x", Of: "session", Error: "Timeout"},
		{Source: eval.FromHuman, Name: "tone", By: "jane", Outputs: []eval.Output{{Name: "value", Value: true}}},
	} {
		e, err := o.Evaluation()
		require.NoError(t, err)
		require.Equal(t, o.Source, e.Source)
		require.Equal(t, string(o.Source)+":"+o.Name, e.Evaluator)
		require.True(t, strings.HasPrefix(e.SetupID, string(o.Source)+":"), "no setup has such an id")
		back, found := opinion.Of(&e)
		require.True(t, found)
		require.Equal(t, o, back)
	}
	ours := eval.Evaluation{Evaluator: "tone-detection"}
	_, found := opinion.Of(&ours)
	require.False(t, found)
	for _, name := range []string{"touchstone:x", "other:x", "sdk:", "human", ""} {
		_, _, found := opinion.Source(name)
		require.False(t, found, name)
	}
}

func TestOpinionsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	text := []eval.Output{{Name: "label", Value: "x"}}
	for message, o := range map[string]opinion.Opinion{
		"name is required":                           {Name: "\x00", Outputs: text},
		"name must be at most 200 bytes long":        {Name: strings.Repeat("n", 201), Outputs: text},
		"author must be at most 200 bytes long":      {Name: "n", By: strings.Repeat("n", 201), Outputs: text},
		"n says nothing":                             {Name: "n"},
		"score must be a finite number":              {Name: "n", Outputs: []eval.Output{{Name: "score", Value: math.NaN()}}},
		"a value must have a name of 1 to 200 bytes": {Name: "n", Outputs: []eval.Output{{Value: "x"}}},
	} {
		_, err := o.Evaluation()
		require.True(t, fault.Is(err, fault.Invalid), message)
		require.Equal(t, message, fault.Message(err))
	}
	long := opinion.Opinion{Name: "n", Outputs: []eval.Output{{Name: "explanation", Value: strings.Repeat("é", opinion.MaxText)}}}
	e, err := long.Evaluation()
	require.NoError(t, err)
	require.True(t, e.Truncated)
	require.Len(t, e.Outputs[0].Value, opinion.MaxText)
}
