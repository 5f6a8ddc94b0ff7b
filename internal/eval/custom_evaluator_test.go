// SPDX-License-Identifier: Apache-2.0

package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// texts returns inputs by their names.
func texts(all map[string]string) func(f *eval.Field) (string, bool) {
	return func(f *eval.Field) (string, bool) {
		text, ok := all[f.Name]
		return text, ok
	}
}

func customTexts() map[string]string {
	return map[string]string{"text": "hello", "level": "3", "weight": "0.5", "strict": "true", "kind": "b c"}
}

func judgedBy(c eval.CustomEvaluator, judge eval.JudgeModel) *eval.Evaluator {
	return c.Evaluator(func() eval.JudgeModel { return judge })
}

// fromInputs judges inputs with a configuration that is read for them alone.
func fromInputs(ctx context.Context, e *eval.Evaluator, get func(f *eval.Field) (string, bool), config json.RawMessage) (eval.Result, error) {
	p, err := e.Prepare(config)
	if err != nil {
		return eval.Result{}, err
	}
	return p.FromInputs(ctx, get)
}

func TestCustomEvaluatorIsOneLikeAnyOther(t *testing.T) {
	t.Parallel()
	models, server := modeltest.Models(t, modeltest.Content(customAnswer), modeltest.Content(customAnswer))
	e := judgedBy(newCustom(), models.Judge)
	require.Equal(t, "quality-judge", e.Slug)
	require.Equal(t, []eval.Backend{eval.Judge}, e.Backends())
	plan, err := e.Plan(nil)
	require.NoError(t, err)
	require.Equal(t, eval.Plan{Backend: eval.Judge, Deferred: true}, plan)

	spanned, err := fromInputs(t.Context(), e, texts(customTexts()), nil)
	require.NoError(t, err)
	posted, err := e.FromJSON(t.Context(), json.RawMessage(customInput), nil)
	require.NoError(t, err)
	require.Equal(t, posted, spanned)
	require.Equal(t, "version-1/1", spanned.Version)
	require.Equal(t, spanned.Version, e.Version)
	require.NotZero(t, spanned.Usage.PromptTokens)
	for _, name := range []string{"text", "level", "weight", "strict", "kind"} {
		first, _ := server.Requests()[0].Data(name)
		second, _ := server.Requests()[1].Data(name)
		require.Equal(t, second, first, "a judge gets to see the same")
	}
}

func TestCustomEvaluatorTellsItsSchema(t *testing.T) {
	t.Parallel()
	e := judgedBy(newCustom(), nil)
	types := func(fields []eval.Field) (list []eval.Type) {
		for _, f := range fields {
			list = append(list, f.Type)
		}
		return list
	}
	require.Equal(t, []eval.Type{eval.String, eval.Integer, eval.Float, eval.Boolean, eval.String}, types(e.Input))
	require.Equal(t, []eval.Type{eval.String, eval.String, eval.Integer, eval.Float, eval.Float, eval.Boolean}, types(e.Output))
	require.Equal(t, []string{"a", "b c"}, e.Input[4].Values)
	require.Equal(t, "The label", e.Output[1].Description)
	require.Equal(t, span.PartOutput, e.Input[0].Part)
	require.NotNil(t, e.Unmapped(func(string) bool { return false }), "nothing fills level")
	require.Equal(t, "level", e.Unmapped(func(string) bool { return false }).Name)
	require.Equal(t, "weight", e.Unmapped(func(name string) bool { return name == "level" }).Name)
	require.Nil(t, e.Unmapped(func(string) bool { return true }))
}

func TestWellKnownNamesAreFilledBySpans(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]span.Part{
		"text": "output", "completion": "output", "answer": "output", "response": "output",
		"question": "question", "query": "question", "prompt": "question",
		"instructions": "instructions", "context": "context", "reference": "attribute:reference", "ground_truth": "attribute:ground_truth",
		"prompts": "prompts", "trajectory_prompts": "prompts", "trajectory_completions": "completions", "messages": "messages",
		"executed_tool_calls": "tool_calls", "tool_input": "tool_input", "logprobs": "logprobs",
		"Text": "", "tier": "",
	} {
		c := eval.CustomEvaluator{Slug: "c", Input: []eval.CustomField{{Name: name, Type: eval.CustomString}}}
		e := judgedBy(c, nil)
		require.Equal(t, part, e.Input[0].Part, name)
		require.Equal(t, part != "", e.Unmapped(func(string) bool { return false }) == nil)
		require.Equal(t, part != "", part.Known())
	}
}

func TestCustomEvaluatorRefusesWhatSpansHaveWrong(t *testing.T) {
	t.Parallel()
	asked := 0
	e := judgedBy(newCustom(), judgeFunc(func(eval.Question) (string, error) { asked++; return customAnswer, nil }))
	huge := strings.Repeat("1", eval.MaxText+1)
	for _, c := range []struct {
		name, value string
		kind        fault.Kind
		want        string
	}{
		{"level", "three", fault.Invalid, "input.level must be an integer"},
		{"level", "3.5", fault.Invalid, "input.level must be an integer"},
		{"level", huge, fault.TooLarge, "input.level is over the limit"},
		{"weight", "NaN", fault.Invalid, "input.weight must be a number"},
		{"weight", "", fault.Invalid, "input.weight must be a number"},
		{"strict", "yes", fault.Invalid, "input.strict must be a boolean"},
		{"kind", "c", fault.Invalid, "input.kind must be one of its enum_values"},
	} {
		inputs := customTexts()
		inputs[c.name] = c.value
		_, err := fromInputs(t.Context(), e, texts(inputs), nil)
		require.Equal(t, c.kind, fault.KindOf(err), c.want)
		require.ErrorContains(t, err, c.want)
	}
	inputs := customTexts()
	delete(inputs, "strict")
	_, err := fromInputs(t.Context(), e, texts(inputs), nil)
	require.ErrorIs(t, err, eval.ErrMissingInput)
	require.ErrorContains(t, err, "input.strict")
	for _, config := range []string{"7", "[]", `"x"`, "{"} {
		require.True(t, fault.Is(e.CheckConfig(json.RawMessage(config)), fault.Invalid), config)
		_, err = e.Plan(json.RawMessage(config))
		require.True(t, fault.Is(err, fault.Invalid), config)
		_, err = fromInputs(t.Context(), e, texts(customTexts()), json.RawMessage(config))
		require.True(t, fault.Is(err, fault.Invalid), config)
		_, err = e.FromJSON(t.Context(), json.RawMessage(customInput), json.RawMessage(config))
		require.True(t, fault.Is(err, fault.Invalid), config)
	}
	require.NoError(t, e.CheckConfig(json.RawMessage(` {"anything": 1} `)))
	require.NoError(t, e.CheckConfig(json.RawMessage("null")))
	require.Zero(t, asked)
}

func TestCustomEvaluatorCutsLongTexts(t *testing.T) {
	t.Parallel()
	var asked eval.Question
	e := judgedBy(newCustom(), judgeFunc(func(q eval.Question) (string, error) { asked = q; return customAnswer, nil }))
	inputs := customTexts()
	inputs["text"] = "x" + strings.Repeat("ß", eval.MaxText)
	got, err := fromInputs(t.Context(), e, texts(inputs), nil)
	require.NoError(t, err)
	require.True(t, got.Truncated)
	require.Len(t, asked.Data[0].Text, eval.MaxText-1, "no character is cut in two")
}

func TestCustomEvaluatorWithoutAJudge(t *testing.T) {
	t.Parallel()
	e := judgedBy(newCustom(), nil)
	_, err := e.Plan(nil)
	require.True(t, fault.Is(err, fault.NotConfigured))
	require.ErrorContains(t, err, `"quality-judge" needs a judge model`)
	_, err = fromInputs(t.Context(), e, texts(customTexts()), nil)
	require.True(t, fault.Is(err, fault.NotConfigured))

	other := e.With(eval.Models{Judge: answering(customAnswer)})
	_, err = other.Plan(nil)
	require.Error(t, err, "only the judge of its own counts")
}

func TestCustomEvaluatorTellsUsageBesideAnError(t *testing.T) {
	t.Parallel()
	models, _ := modeltest.Models(t, modeltest.Content("no"), modeltest.Content("still no"))
	got, err := fromInputs(t.Context(), judgedBy(newCustom(), models.Judge), texts(customTexts()), nil)
	require.True(t, fault.Is(err, fault.Unusable))
	require.EqualValues(t, 2*modeltest.PromptTokens, got.Usage.PromptTokens)
	require.False(t, got.Truncated)
}
