// SPDX-License-Identifier: Apache-2.0

package eval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// passing is an evaluator with outputs of which some values pass.
func passing(output ...eval.CustomField) eval.CustomEvaluator {
	c := newCustom()
	c.Output = output
	return c
}

// Which values of a custom evaluator pass is what its author says; the verdict then says
// whether all do.
func TestCustomEvaluatorSaysWhatPasses(t *testing.T) {
	t.Parallel()
	outputs := []eval.CustomField{
		{Name: "helpful", Type: eval.CustomBoolean, Passes: []string{"true"}},
		{Name: "tone", Type: eval.CustomEnum, Values: []string{"kind", "plain", "rude"}, Passes: []string{"kind", "plain"}},
		{Name: "score", Type: eval.CustomFloat, Passes: []string{">=0.5"}},
		{Name: "slips", Type: eval.CustomInt, Passes: []string{"< 3"}},
	}
	for answer, want := range map[string]bool{
		`{"helpful":true,"tone":"plain","score":0.5,"slips":2}`:  true,
		`{"helpful":false,"tone":"plain","score":0.5,"slips":2}`: false,
		`{"helpful":true,"tone":"rude","score":0.5,"slips":2}`:   false,
		`{"helpful":true,"tone":"kind","score":0.49,"slips":2}`:  false,
		`{"helpful":true,"tone":"kind","score":1,"slips":3}`:     false,
	} {
		e := judgedBy(passing(outputs...), answering(answer))
		got, err := fromInputs(t.Context(), e, texts(customTexts()), nil)
		require.NoError(t, err)
		require.Equal(t, eval.Output{Name: "pass", Value: want}, got.Outputs[4], answer)
		made := eval.Evaluation{Status: eval.Done, Outputs: got.Outputs}
		require.Equal(t, want, *made.Good())
		require.Equal(t, []any{true, nil, nil, nil, true}, []any{e.GoodOf(0), e.GoodOf(1), e.GoodOf(2), e.GoodOf(3), e.GoodOf(4)})
	}

	c := passing(eval.CustomField{Name: "helpful", Type: eval.CustomBoolean})
	got, err := fromInputs(t.Context(), judgedBy(c, answering(`{"helpful":true}`)), texts(customTexts()), nil)
	require.NoError(t, err)
	require.Len(t, got.Outputs, 1, "no rule says what passes")
}

func TestCustomEvaluatorRefusesWhatCannotPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		output []eval.CustomField
	}{
		{"output_schema[0].passes must be one of true, false", []eval.CustomField{{Name: "a", Type: eval.CustomBoolean, Passes: []string{"yes"}}}},
		{"output_schema[0].passes[1] must be one of enum_values", []eval.CustomField{{Name: "a", Type: eval.CustomEnum, Values: []string{"x"}, Passes: []string{"x", "y"}}}},
		{"output_schema[0].passes must be one bound", []eval.CustomField{{Name: "a", Type: eval.CustomFloat, Passes: []string{"0.5"}}}},
		{"output_schema[0].passes must not be given: the type is string", []eval.CustomField{{Name: "a", Type: eval.CustomString, Passes: []string{"x"}}}},
		{"output_schema[1].name must be another", []eval.CustomField{{Name: "a", Type: eval.CustomBoolean, Passes: []string{"true"}}, {Name: "Pass", Type: eval.CustomString}}},
	} {
		e := passing(c.output...)
		err := e.Check()
		require.True(t, fault.Is(err, fault.Invalid), c.want)
		require.ErrorContains(t, err, c.want)
	}
	e := newCustom()
	e.Input[3].Passes = []string{"true"}
	require.ErrorContains(t, e.Check(), "input_schema[3].passes must not be given")
}
