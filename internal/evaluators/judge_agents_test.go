// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

const (
	exchange = `{"trajectory_prompts":["Book a room"],"trajectory_completions":["Done."]}`
	talk     = `{"prompts":["Book a room","In room 5"],"completions":["Where?","Done."]}`
)

func TestTopicsByJudge(t *testing.T) {
	t.Parallel()
	const slug, out, in = "topic-adherence", "adherence_score", `{"question":"Q?","completion":"A.","reference_topics":"a, b"}`
	topics := func(verdicts ...string) string {
		var all []string
		for _, v := range verdicts {
			answered, inside, _ := strings.Cut(v, " ")
			all = append(all, `{"topic":"t","reason":"r","answered":"`+answered+`","inside":"`+inside+`"}`)
		}
		return `{"topics":[` + strings.Join(all, ",") + `]}`
	}
	checkCases(t, []judgeCase{
		{about: "answered and inside", slug: slug, input: in, script: says(topics("yes yes", "yes yes")), output: out, want: 1.0},
		{about: "one strayed", slug: slug, input: in, script: says(topics("yes yes", "yes no")), output: out, want: 2.0 / 3},
		{about: "one missed", slug: slug, input: in, script: says(topics("yes yes", "no yes")), output: out, want: 2.0 / 3},
		{about: "all missed", slug: slug, input: in, script: says(topics("no yes", "no yes")), output: out, want: 0.0},
		{about: "all outside, all declined", slug: slug, input: in, script: says(topics("no no", "no no")), output: out, want: 1.0},
		{about: "no topics", slug: slug, input: in, script: says(`{"topics":[]}`), output: out, want: 0.0},
		{about: "topics without verdicts", slug: slug, input: in, script: says(`{"topics":["t","u"]}`), kind: fault.Unusable},
		{about: "no such verdict", slug: slug, input: in, script: says(topics("maybe yes")), kind: fault.Unusable},
	})
}

// itemsOf are items with verdicts, as members of an answer.
func itemsOf(verdicts ...string) string {
	all := []string{}
	for i, v := range verdicts {
		all = append(all, `{"text":"`+string(rune('a'+i))+`","reason":"r","verdict":"`+v+`"}`)
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestIntentsByJudge(t *testing.T) {
	t.Parallel()
	const slug = "intent-change"
	intents := func(verdicts ...string) []modeltest.Step {
		return says(`{"original":["a"],"later":` + itemsOf(verdicts...) + `}`)
	}
	checkCases(t, []judgeCase{
		{about: "half is kept", slug: slug, input: talk, script: intents("yes", "no"), output: "score", want: int64(1)},
		{about: "none is kept", slug: slug, input: talk, script: intents("no", "no"), output: "success", want: false},
		{about: "one was not judged", slug: slug, input: talk, script: intents("", "no"), kind: fault.Unusable},
		{about: "no later intent", slug: slug, input: talk, script: intents(), output: "score", want: int64(1)},
		{about: "no first intent", slug: slug, input: talk, script: says(`{"original":[" "],"later":` + itemsOf("no") + `}`), output: "score", want: int64(1)},
		{about: "one message", slug: slug, input: `{"prompts":["a"],"completions":["b","c"]}`, output: "score", want: int64(1)},
		{about: "intents without verdicts", slug: slug, input: talk, script: says(`{"original":["a"],"later":["b"]}`), kind: fault.Unusable},
		{about: "no messages", slug: slug, input: `{"prompts":[],"completions":[]}`, kind: fault.Invalid},
	})
}

func TestGoalsByJudge(t *testing.T) {
	t.Parallel()
	const slug = "agent-goal-completeness"
	goals := func(verdicts ...string) []modeltest.Step { return says(`{"goals":` + itemsOf(verdicts...) + `}`) }
	checkCases(t, []judgeCase{
		{about: "two of three", slug: slug, input: exchange, script: goals("yes", "no", "yes"), output: "score", want: 2.0 / 3},
		{about: "at the threshold", slug: slug, input: exchange, config: `{"threshold":0.6666666666666667}`, script: goals("yes", "no", "yes"), output: "success", want: true},
		{about: "an empty config", slug: slug, input: exchange, config: `{}`, script: goals("no", "no", "yes"), output: "success", want: false},
		{about: "one was not judged", slug: slug, input: exchange, script: goals("yes", "", "no"), kind: fault.Unusable},
		{about: "no goals", slug: slug, input: exchange, script: goals(), output: "score", want: 1.0},
		{about: "no goals, though the user names something", slug: slug, input: `{"trajectory_prompts":["Book 2 rooms"],"trajectory_completions":["Done."]}`, script: goals(), kind: fault.Unusable},
		{about: "no messages", slug: slug, input: `{"trajectory_prompts":[],"trajectory_completions":"[]"}`, kind: fault.Invalid},
	})
}

func TestOutcomesByJudge(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]bool{"REFERENCE": true, "": false, " \n": false} {
		e, server := judgedBy(t, "agent-goal-accuracy", says(`{"user_goal":"GOAL","end_state":"STATE","reason":"r","verdict":"yes"}`)...)
		input := toJSON(t, map[string]string{"question": "Q", "completion": "A", "reference": reference})
		got, _, err := run(t, e, string(input), ``)
		require.NoError(t, err)
		require.InDelta(t, 1, got["accuracy_score"], 0)
		require.Len(t, server.Requests(), 1)
		shown, ok := server.Requests()[0].Data("desired")
		require.Equal(t, want, ok)
		if want {
			require.Equal(t, reference, shown)
		}
	}
}

// The record of what tools answered is what a judge reads, if tools were called.
func TestOutcomesAreReadFromTrajectories(t *testing.T) {
	t.Parallel()
	const called = `[{"role":"user","content":"Q"},{"role":"assistant","tool_calls":[{"name":"cancel"}]},{"role":"tool","content":"error: shipped"}]`
	for messages, want := range map[string]bool{called: true, `[{"role":"user","content":"error: shipped"}]`: false, `[]`: false, "": false} {
		e, server := judgedBy(t, "agent-goal-accuracy", says(`{"user_goal":"g","end_state":"s","reason":"r","verdict":"no"}`)...)
		_, _, err := run(t, e, string(toJSON(t, map[string]string{"question": "Q", "completion": "Done, A.", "reference": "", "messages": messages})), `{"backend":"judge"}`)
		require.NoError(t, err)
		record, ok := server.Requests()[0].Data("workflow")
		require.True(t, ok)
		require.Equal(t, want, strings.Contains(record, "error: shipped"), messages)
		require.Equal(t, !want, strings.Contains(record, "Done, A."), messages)
		asked, ok := server.Requests()[0].Data("question")
		require.True(t, ok)
		require.Equal(t, "Q", asked)
	}
}

// A record that is too long to be read whole is left out, and the result says that.
func TestTooLongTrajectoriesAreLeftOut(t *testing.T) {
	t.Parallel()
	e, server := judgedBy(t, "agent-goal-accuracy", says(`{"user_goal":"g","end_state":"s","reason":"r","verdict":"yes"}`)...)
	p, err := e.Prepare(json.RawMessage(`{"backend":"judge"}`))
	require.NoError(t, err)
	parts := map[string]string{
		"question": "Q", "completion": "A.", "reference": "",
		"messages": `[{"role":"assistant","tool_calls":[{"name":"a"}],"content":"` + strings.Repeat("x", eval.MaxText) + `"}]`,
	}
	got, err := p.FromInputs(t.Context(), func(f *eval.Field) (string, bool) {
		text, ok := parts[f.Name]
		return text, ok
	})
	require.NoError(t, err)
	require.True(t, got.Truncated)
	record, _ := server.Requests()[0].Data("workflow")
	require.Contains(t, record, "A.")
	require.NotContains(t, record, "xxx")
}

func TestToolsAtHandAreShown(t *testing.T) {
	t.Parallel()
	const selection = `{"tool_selection_reason":"r","tool_selection":"correct","correct_args_reason":"r","correct_args":true}`
	for definitions, want := range map[string]bool{`[{"name":"weather"}]`: true, `""`: false, `null`: false} {
		e, server := judgedBy(t, "agent-tool-selection-quality", says(selection)...)
		_, _, err := run(t, e, `{"input_messages":[],"output_messages":[],"tool_definitions":`+definitions+`}`, ``)
		require.NoError(t, err)
		shown, ok := server.Requests()[0].Data("tools")
		require.Equal(t, want, ok, definitions)
		require.Equal(t, want, strings.Contains(shown, "weather"))
	}
}

func TestConversationsByJudge(t *testing.T) {
	t.Parallel()
	const slug, out = "conversation-quality", "conversation_quality_score"
	quality := func(goals string, turns ...string) []modeltest.Step {
		all := []string{}
		for i, v := range turns {
			if relevant, remembers, ok := strings.Cut(v, " "); ok {
				all = append(all, fmt.Sprintf(`{"index":%d,"reason":"r","relevant":%q,"remembers":%q}`, i+1, relevant, remembers))
			}
		}
		return says(`{"facts":[],"verdicts":[` + strings.Join(all, ",") + `],"goals":` + goals + `}`)
	}
	checkCases(t, []judgeCase{
		{about: "perfect", slug: slug, input: talk, script: quality(itemsOf("yes", "yes"), "yes yes", "yes yes"), output: out, want: 1.0},
		{about: "each part has its weight", slug: slug, input: talk, script: quality(itemsOf("yes", "no"), "yes nothing", "no no"), output: out, want: 0.4},
		{about: "nothing to remember and nothing wanted", slug: slug, input: `{"prompts":["hi","ok"],"completions":["Where?","Done."]}`, script: quality(itemsOf(), "no nothing", "no nothing"), output: out, want: 0.6},
		{about: "nobody answered", slug: slug, input: `{"prompts":["Book a room"],"completions":[]}`, script: quality(itemsOf("no", "no")), output: out, want: 0.6},
		{about: "a turn without a verdict", slug: slug, input: talk, script: quality(itemsOf("yes"), "yes yes", ""), kind: fault.Unusable},
		{about: "a verdict on no turn", slug: slug, input: `{"prompts":["hi"],"completions":["ho"]}`, script: quality(itemsOf("yes"), "yes yes", "yes yes"), kind: fault.Unusable},
		{about: "no goals, though the user names something", slug: slug, input: talk, script: quality(itemsOf(), "yes yes", "yes yes"), kind: fault.Unusable},
	})
}

func TestEfficiencyByJudge(t *testing.T) {
	t.Parallel()
	const slug = "agent-efficiency"
	said := func(task, step string) string {
		return `{"task_completion_reason":"t","task_completion_score":` + task + `,"step_efficiency_reason":"s","step_efficiency_score":` + step + `}`
	}
	checkCases(t, []judgeCase{
		{about: "a score of the rubric", slug: slug, input: exchange, script: says(said("0.3", "0.25")), output: "step_efficiency_score", want: 0.25},
		{about: "scores are held between 0 and 1", slug: slug, input: exchange, script: says(said("1e300", "1")), output: "task_completion_score", want: 1.0},
		{about: "and not below", slug: slug, input: exchange, script: says(said("-4", "1")), output: "task_completion_score", want: 0.0},
		{about: "no score of the rubric", slug: slug, input: exchange, script: says(said("1", "0.3")), kind: fault.Unusable},
		{about: "no number", slug: slug, input: exchange, script: says(said(`"NaN"`, "1")), kind: fault.Unusable},
	})
}

func TestFlowsByJudge(t *testing.T) {
	t.Parallel()
	const slug = "agent-flow-quality"
	config := `{"conditions":"[\"a\",\"b\",\"c\"]","threshold":0.6666666666666667}`
	checkCases(t, []judgeCase{
		{about: "at the threshold", slug: slug, input: exchange, config: config, script: says(verdictsOf("yes", "no", "yes")), output: "success", want: true},
		{about: "one was not judged", slug: slug, input: exchange, config: config, script: says(verdictsOf("yes", "", "no")), kind: fault.Unusable},
		{about: "the reason", slug: slug, input: exchange, config: config, script: says(verdictsOf("yes", "no", "no")), output: "reason", want: "1 of 3 conditions are met. Failed: b (r), c (r)."},
		{about: "no verdicts", slug: slug, input: exchange, config: config, script: says(verdictsOf()), kind: fault.Unusable},
		{about: "no conditions", slug: slug, input: exchange, config: `{"conditions":[],"threshold":0}`, kind: fault.Invalid},
		{about: "an empty condition", slug: slug, input: exchange, config: `{"conditions":["a"," "],"threshold":0}`, kind: fault.Invalid},
		{about: "no threshold", slug: slug, input: exchange, config: `{"conditions":["a"]}`, kind: fault.Invalid},
		{about: "no config", slug: slug, input: exchange, kind: fault.Invalid},
		{about: "too many conditions", slug: slug, input: exchange, config: `{"conditions":[` + strings.Repeat(`"a",`, 50) + `"a"],"threshold":0}`, kind: fault.Invalid},
	})
	e, ok := Catalog().Get(slug)
	require.True(t, ok)
	require.NoError(t, e.CheckConfig(json.RawMessage(config)))
	require.Error(t, e.CheckConfig(nil))
}

func TestMessagesByJudge(t *testing.T) {
	t.Parallel()
	selection := `{"tool_selection_reason":"r","tool_selection":"incorrect","correct_args_reason":"r","correct_args":false}`
	in := func(message string) string {
		return string(toJSON(t, map[string]any{"input_messages": "[]", "output_messages": json.RawMessage(`[` + message + `]`)}))
	}
	var cases []judgeCase
	for message, called := range map[string]bool{
		`{"role":"assistant","content":"Hi"}`:                                     false,
		`{"role":"assistant","content":null,"tool_calls":[]}`:                     false,
		`{"role":"assistant","tool_calls":[{"name":"a","arguments":{}}]}`:         true,
		`{"role":"assistant","content":[{"type":"text","text":"tool_use"}]}`:      false,
		`{"role":"assistant","content":[{"type":"tool_use","name":"a"}]}`:         true,
		`{"role":"assistant","content":[{"type":"tool_call","name":"a"}]}`:        true,
		`{"role":"assistant","content":"a \"type\": \"tool_use\" as a text"}`:     false,
		`{"role":"assistant","content":"","tool_calls":[{"function":{"n":"a"}}]}`: true,
	} {
		cases = append(cases, judgeCase{about: message, slug: "agent-tool-selection-quality", input: in(message), script: says(selection), output: "correct_args", want: !called})
	}
	cases = append(cases, judgeCase{
		about: "no such choice", slug: "agent-tool-selection-quality", input: in(`{"role":"assistant"}`), kind: fault.Unusable,
		script: says(strings.Replace(selection, "incorrect", "maybe", 1)),
	})
	for _, silent := range []string{`[]`, `[{"role":"user","content":"Hi"}]`, `[{"role":"assistant","content":""}]`} {
		cases = append(cases, judgeCase{about: silent, slug: "action-advancement", input: `{"messages":` + silent + `}`, output: "pass", want: false})
	}
	cases = append(cases, judgeCase{
		about: "a step back", slug: "action-advancement", input: `{"messages":"[{\"role\":\"assistant\",\"content\":\"Hi\"}]"}`,
		script: says(`{"reason":"r","verdict":"no"}`), output: "pass", want: false,
	})
	checkCases(t, cases)
}

func TestInstructionsByJudge(t *testing.T) {
	t.Parallel()
	const slug, out = "instruction-adherence", "instruction_adherence_score"
	checkCases(t, []judgeCase{
		{about: "no instructions", slug: slug, input: `{"instructions":"","response":"A"}`, output: out, want: 1.0},
		{about: "no response", slug: slug, input: `{"instructions":"I","response":""}`, output: out, want: 0.0},
		{about: "none found", slug: slug, input: `{"instructions":"Hi","response":"A"}`, script: says(`{"instructions":[]}`), output: out, want: 1.0},
	})
}
