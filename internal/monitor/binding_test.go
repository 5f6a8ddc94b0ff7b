// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func setupOf(w monitor.SetupEvaluator) *monitor.Setup {
	return &monitor.Setup{ID: "s", Evaluators: []monitor.SetupEvaluator{w}}
}

func chat(attributes map[string]string) *genai.View {
	s := ptrace.NewSpan()
	s.Attributes().PutStr("gen_ai.prompt.0.role", "user")
	s.Attributes().PutStr("gen_ai.prompt.0.content", "How far is the moon?")
	s.Attributes().PutStr("gen_ai.completion.0.role", "assistant")
	s.Attributes().PutStr("gen_ai.completion.0.content", "About 384,400 km.")
	for key, value := range attributes {
		s.Attributes().PutStr(key, value)
	}
	return genai.NewView(pcommon.NewResource(), s)
}

func TestRunJudgesWhatIsMapped(t *testing.T) {
	t.Parallel()
	m := monitor.Compile(setupOf(monitor.SetupEvaluator{
		Slug:   "char-count-ratio",
		Inputs: map[string]monitor.InputSource{"numerator_text": {Source: monitor.SpanAttributes, Key: "draft"}},
	}), prebuilt)
	r := m.Bindings[0]
	require.NoError(t, r.Err)
	require.Equal(t, eval.Plan{Backend: eval.Deterministic}, r.Plan)
	require.Same(t, r, m.Binding("char-count-ratio"))
	require.Nil(t, m.Binding("char-count"))

	view := chat(map[string]string{"draft": strings.Repeat("x", 40)})
	require.Equal(t, []monitor.Input{
		{Name: "numerator_text", Text: strings.Repeat("x", 40), Found: true, Required: true},
		{Name: "denominator_text", Text: "How far is the moon?", Found: true, Required: true},
	}, r.Inputs(view))
	got, err := r.Judge(t.Context(), view)
	require.NoError(t, err)
	require.Equal(t, []eval.Output{{Name: "char_ratio", Value: 2.0}}, got.Outputs)

	_, err = r.Judge(t.Context(), chat(nil))
	require.ErrorIs(t, err, eval.ErrMissingInput, "what is mapped is not looked for elsewhere")
	require.ErrorContains(t, err, "input.numerator_text")
	require.False(t, r.Inputs(chat(nil))[0].Found)

	require.Empty(t, r.Part(&r.Evaluator.Input[0]))
	require.Equal(t, span.PartQuestion, r.Part(&r.Evaluator.Input[1]))
}

func TestRunHasTheWishesConfig(t *testing.T) {
	t.Parallel()
	judge := func(config, backend string) (*monitor.Binding, []eval.Output) {
		r := monitor.Compile(setupOf(monitor.SetupEvaluator{Slug: "regex-validator", Config: json.RawMessage(config), Backend: backend}), prebuilt).Bindings[0]
		if r.Err != nil {
			return r, nil
		}
		got, err := r.Judge(t.Context(), chat(nil))
		require.NoError(t, err)
		return r, got.Outputs
	}
	_, is := judge(`{"regex":"km"}`, "")
	_, isNot := judge(`{"regex":"miles"}`, "deterministic")
	require.NotEqual(t, is, isNot)
	r, _ := judge("", "")
	require.True(t, fault.Is(r.Err, fault.Invalid))
	require.ErrorContains(t, r.Err, "config.regex")
	for _, broken := range []string{"[]", "7", "{"} {
		r, _ = judge(broken, "auto")
		require.True(t, fault.Is(r.Err, fault.Invalid), broken)
	}
	r, _ = judge("null", "auto")
	require.ErrorContains(t, r.Err, "config.regex")
}

func TestRunSaysWhyItCannotBe(t *testing.T) {
	t.Parallel()
	run := func(w monitor.SetupEvaluator) *monitor.Binding {
		return monitor.Compile(setupOf(w), prebuilt).Bindings[0]
	}
	unmapped := eval.CustomEvaluator{Slug: "c", Input: []eval.CustomField{{Name: "text", Type: eval.CustomString}, {Name: "tier", Type: eval.CustomString}}}.
		Evaluator(func() eval.JudgeModel { return nil })
	find := func(*monitor.SetupEvaluator) (*eval.Evaluator, error) { return unmapped, nil }

	lacking := monitor.Compile(setupOf(monitor.SetupEvaluator{Slug: "c"}), find).Bindings[0]
	require.True(t, fault.Is(lacking.Err, fault.Invalid))
	require.ErrorContains(t, lacking.Err, "needs the input tier")
	judgeless := monitor.Compile(setupOf(monitor.SetupEvaluator{
		Slug: "c", Inputs: map[string]monitor.InputSource{"tier": {Source: monitor.SpanAttributes, Key: "tier"}},
	}), find).Bindings[0]
	require.True(t, fault.Is(judgeless.Err, fault.NotConfigured))
	require.ErrorContains(t, judgeless.Err, "needs a judge")

	require.ErrorContains(t, run(monitor.SetupEvaluator{Slug: "action-advancement"}).Err, "needs a judge")
	require.ErrorContains(t, run(monitor.SetupEvaluator{
		Slug: "char-count", Inputs: map[string]monitor.InputSource{"text": {Source: "x"}},
	}).Err, "input_mapping.text.source")
}

// A custom evaluator that is not at hand is left to another process.
func TestWhatIsNotAtHandIsDeferred(t *testing.T) {
	t.Parallel()
	r := monitor.Compile(setupOf(monitor.SetupEvaluator{Slug: "mine", CustomID: "c"}), func(*monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return nil, nil
	}).Bindings[0]
	require.NoError(t, r.Err)
	require.Equal(t, eval.Plan{Backend: eval.Judge, Deferred: true}, r.Plan)
	require.Nil(t, r.Inputs(chat(nil)))
}

func TestCheckNamesTheElement(t *testing.T) {
	t.Parallel()
	get := func(slug string) *eval.Evaluator {
		e, ok := evaluators.Catalog().Get(slug)
		require.True(t, ok)
		return e
	}
	text := func(s monitor.InputSource) map[string]monitor.InputSource {
		return map[string]monitor.InputSource{"text": s}
	}
	fine := monitor.InputSource{Source: monitor.SpanAttributes, Key: "k"}
	const path = "evaluator_configs[0]"
	for want, w := range map[string]monitor.SetupEvaluator{
		".config.regex must":             {Slug: "regex-validator", Config: json.RawMessage(`{"regex":7}`)},
		".config must be an object":      {Slug: "char-count", Config: json.RawMessage(`[]`)},
		".config is not valid JSON":      {Slug: "char-count", Config: json.RawMessage(`{`)},
		".config must be at most":        {Slug: "char-count", Config: json.RawMessage(`{"a":"` + strings.Repeat("x", monitor.MaxConfig) + `"}`)},
		".backend must be one of auto":   {Slug: "char-count", Backend: "judge"},
		".sample_rate must be above 0 ":  {Slug: "char-count", SampleRate: -0.5},
		".sample_rate must be above 0 a": {Slug: "char-count", SampleRate: 1.01},
		".sample_rate must be above":     {Slug: "char-count", SampleRate: math.NaN()},
		".input_mapping.text.source is":  {Slug: "char-count", Inputs: text(monitor.InputSource{Key: "k"})},
		".input_mapping.text.key is":     {Slug: "char-count", Inputs: text(monitor.InputSource{Source: monitor.Span})},
		".input_mapping.text.regex must have exactly one group": {
			Slug: "char-count", Inputs: text(monitor.InputSource{Source: monitor.SpanAttributes, Key: "k", Pattern: "x"}),
		},
		".input_mapping.text.json_path must be": {
			Slug: "char-count", Inputs: text(monitor.InputSource{Source: monitor.SpanAttributes, Key: "k", Path: "."}),
		},
		".input_mapping.txt is not an input of char-count": {Slug: "char-count", Inputs: map[string]monitor.InputSource{"txt": fine}},
	} {
		err := w.Check(path, get(w.Slug))
		require.ErrorContains(t, err, path+want)
		require.True(t, fault.Is(err, fault.Invalid), want)
	}
	many := map[string]monitor.InputSource{}
	for i := range monitor.MaxInputs + 1 {
		many[strings.Repeat("x", i+1)] = fine
	}
	require.ErrorContains(t, (&monitor.SetupEvaluator{Inputs: many}).Check(path, get("char-count")), path+".input_mapping must have at most")

	for _, w := range []monitor.SetupEvaluator{
		{Slug: "char-count"},
		{Slug: "char-count", SampleRate: 1, Backend: "deterministic", Config: json.RawMessage("null")},
		{Slug: "action-advancement", Backend: "judge"}, // that there is no judge is not the wish's fault
		{Slug: "regex-validator", SampleRate: 0.1},     // nor that a configuration lacks: the status tells
		{Slug: "char-count", Inputs: text(monitor.InputSource{Source: monitor.Span, Key: "output", Path: "0.text", Pattern: `text":"(.+?)"`})},
	} {
		require.NoError(t, w.Check(path, get(w.Slug)))
	}
}
