// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// member is a span of a trace of a test: its id, its parent's, and when it
// started and ended.
type member struct {
	id, parent byte
	start, end uint64
	attributes map[string]any
	events     []event
}

// traceOf returns a view of every member, and the view of the first one with the
// others.
func traceOf(t *testing.T, list ...member) (*genai.TraceView, []*genai.View) {
	t.Helper()
	var views []*genai.View
	for _, m := range list {
		s := newSpan(t, m.attributes, m.events...)
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{m.id})
		s.SetParentSpanID([8]byte{m.parent})
		s.SetStartTimestamp(pcommon.Timestamp(m.start))
		s.SetEndTimestamp(pcommon.Timestamp(m.end))
		s.SetName("span " + string('0'+rune(m.id)))
		views = append(views, genai.NewView(pcommon.NewResource(), s))
	}
	return genai.NewTraceView(views[0], views[1:]), views
}

func prompts(question, answer string) map[string]any {
	return map[string]any{"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": question, "gen_ai.completion.0.content": answer}
}

func document(text string) map[string]any {
	return map[string]any{"retrieval.documents.0.document.content": text}
}

var (
	workflow     = map[string]any{"traceloop.span.kind": "workflow"}
	finding      = event{"db.query.result", map[string]any{"db.query.result.document": "found"}}
	messageParts = []span.Part{"prompts", "completions", "input_messages", "output_messages", "messages"}
)

func TestWhatASpanWantsOfItsTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parent byte
		sent   map[string]any
		events []event
		wants  string // "context", "messages" and "tools", as they apply
	}{
		"a request":                          {parent: 2, sent: map[string]any{"http.route": "/"}},
		"a call":                             {parent: 2, sent: prompts("Q", "A"), wants: "context"},
		"a call by itself":                   {sent: prompts("Q", "A")},
		"a call with instructions":           {parent: 2, sent: map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.completion.0.content": "A"}, wants: "context"},
		"a call that failed":                 {parent: 2, sent: map[string]any{"gen_ai.prompt": "Q"}},
		"a call with a tool's answer":        {parent: 2, sent: map[string]any{"gen_ai.prompt.0.role": "tool", "gen_ai.prompt.0.content": "T", "gen_ai.completion.0.content": "A"}},
		"a call with documents":              {parent: 2, sent: map[string]any{"retrieval.documents.0.document.content": "D", "gen_ai.completion.0.content": "A"}},
		"a query":                            {parent: 2, sent: map[string]any{"output.value": "x"}, events: []event{finding}},
		"a tool":                             {parent: 2, sent: map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.output": "x"}},
		"a task":                             {parent: 2, sent: map[string]any{"traceloop.span.kind": "task", "traceloop.entity.output": "x"}, wants: "context messages tools"},
		"a step of an agent":                 {parent: 2, sent: map[string]any{"gen_ai.operation.name": "agent_step"}},
		"a workflow":                         {sent: map[string]any{"traceloop.span.kind": "workflow", "traceloop.entity.output": "x"}, wants: "context messages tools"},
		"a workflow without an answer":       {sent: workflow, wants: "said messages tools"},
		"an agent of the platform":           {sent: map[string]any{"platform.span.kind": "agent"}, wants: "said messages tools"},
		"an agent of OpenInference":          {sent: map[string]any{"openinference.span.kind": "AGENT"}, wants: "said messages tools"},
		"a chain":                            {sent: map[string]any{"openinference.span.kind": "CHAIN"}, wants: "said messages tools"},
		"a call that shows nothing":          {parent: 2, sent: map[string]any{"gen_ai.operation.name": "chat"}, wants: "said context messages tools"},
		"a call that shows its input":        {parent: 2, sent: map[string]any{"gen_ai.operation.name": "chat", "input.value": "x"}},
		"an embedding that shows nothing":    {parent: 2, sent: map[string]any{"gen_ai.operation.name": "embeddings"}},
		"a generation of Langfuse":           {sent: map[string]any{"langfuse.observation.type": "generation"}, wants: "said context messages tools"},
		"an agent of Langfuse":               {sent: map[string]any{"langfuse.observation.type": "agent"}, wants: "said messages tools"},
		"an agent of the conventions":        {sent: map[string]any{"gen_ai.operation.name": "invoke_agent"}, wants: "said messages tools"},
		"an agent that shows its messages":   {sent: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": conversation}, wants: "tools"},
		"an agent that shows its calls":      {sent: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": answer}, wants: "context tools-not"},
		"Vercel's outer span":                {sent: map[string]any{"ai.operationId": "ai.generateText", "ai.prompt": `{"prompt":"Q"}`, "ai.response.text": "A"}, wants: "context tools"},
		"Vercel's inner span":                {parent: 2, sent: map[string]any{"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": `["Q"]`}},
		"a kind that is spoken of elsewhere": {sent: map[string]any{"kind": "workflow", "evaluation.traceloop.span.kind": "agent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, views := traceOf(t, member{id: 1, parent: c.parent, attributes: c.sent, events: c.events})
			v := views[0]
			has := func(word string) bool { return strings.Contains(" "+c.wants+" ", " "+word+" ") }
			require.Equal(t, has("context"), v.Wants("context"))
			require.Equal(t, has("tools"), v.Wants("tool_calls"))
			for _, part := range messageParts {
				require.Equal(t, has("messages"), v.Wants(part), part)
			}
			for _, part := range []span.Part{"output", "question", "instructions"} {
				require.Equal(t, has("said"), v.Wants(part), part)
			}
			for _, part := range []span.Part{"tool_input", "tool_output", "logprobs", "attribute:reference", "", "nothing"} {
				require.False(t, v.Wants(part), part)
			}
		})
	}
}

func TestContextOfATrace(t *testing.T) {
	t.Parallel()
	call := member{id: 1, parent: 9, start: 50, end: 100, attributes: map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "S", "gen_ai.completion.0.content": "A"}}
	root := member{id: 9, start: 1, end: 200, attributes: map[string]any{"traceloop.span.kind": "workflow", "traceloop.entity.output": "x"}}
	tool := func(output string) map[string]any {
		return map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.output": output}
	}
	for name, c := range map[string]struct {
		trace []member
		want  string
	}{
		"none":                         {trace: []member{call, root}, want: ""},
		"in the order of time":         {trace: []member{call, {id: 3, start: 20, end: 40, attributes: tool(`"b"`)}, {id: 2, start: 10, end: 45, attributes: document("a")}, {id: 4, start: 30, end: 31, events: []event{finding}}}, want: "a\nb\nfound"},
		"not what came later":          {trace: []member{call, {id: 2, start: 10, end: 101, attributes: document("late")}, {id: 3, start: 10, end: 100, attributes: document("in time")}}, want: "in time"},
		"what is below comes in time":  {trace: []member{call, {id: 2, parent: 3, start: 60, end: 101, attributes: document("below")}, {id: 3, parent: 1}}, want: "below"},
		"not what is above":            {trace: []member{call, {id: 9, parent: 8, start: 1, end: 100, attributes: tool("A")}, {id: 8, parent: 9, end: 100, attributes: document("B")}}, want: ""},
		"each text once":               {trace: []member{call, {id: 2, end: 1, attributes: document("a")}, {id: 3, end: 2, attributes: tool("a")}, {id: 4, end: 2, attributes: map[string]any{"gen_ai.prompt.0.role": "tool", "gen_ai.prompt.0.content": "a"}}}, want: "a"},
		"answers of tools in messages": {trace: []member{call, {id: 4, end: 2, attributes: map[string]any{"gen_ai.prompt.0.role": "tool", "gen_ai.prompt.0.content": "a"}}}, want: "a"},
		"a tool's parts":               {trace: []member{call, {id: 2, end: 1, attributes: tool(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)}, {id: 3, end: 2, attributes: tool("null")}, {id: 4, end: 3, attributes: tool(`{"hits":2}`)}}, want: "a\nb\n{\"hits\":2}"},
		"a span that came twice":       {trace: []member{call, {id: 2, end: 1, attributes: document("a")}, {id: 2, end: 1, attributes: document("b")}, {id: 1, end: 1, attributes: document("c")}}, want: "a"},
		"without an end":               {trace: []member{call, {id: 2, start: 10, attributes: document("a")}, {id: 3, attributes: document("b")}}, want: "b\na"},
		"a workflow that ended early":  {trace: []member{{id: 1, start: 1, end: 50, attributes: root.attributes}, {id: 2, parent: 1, start: 2, end: 51, attributes: document("a")}}, want: "a"},
		"documents of its own":         {trace: []member{{id: 1, parent: 9, end: 9, attributes: map[string]any{"retrieval.documents.0.document.content": "own", "output.value": "x"}}, {id: 2, end: 1, attributes: document("a")}}, want: "own"},
		"a call by itself has no wish": {trace: []member{{id: 1, end: 9, attributes: call.attributes}, {id: 2, parent: 1, end: 1, attributes: document("a")}}, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := traceOf(t, c.trace...)
			got, ok := v.Part("context")
			require.Equal(t, c.want != "", ok)
			require.Equal(t, c.want, got)
		})
	}

	t.Run("other traces", func(t *testing.T) {
		t.Parallel()
		_, views := traceOf(t, call)
		s := newSpan(t, document("a"))
		s.SetSpanID([8]byte{2})
		v := genai.NewTraceView(views[0], []*genai.View{genai.NewView(pcommon.NewResource(), s)})
		got, _ := v.Part("context")
		require.Empty(t, got)
	})
}

func TestMessagesOfATrace(t *testing.T) {
	t.Parallel()
	first := map[string]any{
		"gen_ai.input.messages":  `[{"role":"system","content":"S"},{"role":"user","content":"Weather?"}]`,
		"gen_ai.output.messages": `[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\": 1}"}}]}]`,
	}
	second := map[string]any{
		"gen_ai.input.messages": `[{"role":"system","content":"S"},{"role":"user","content":"Weather?"},
			{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"21"}]`,
		"gen_ai.output.messages": `[{"role":"assistant","content":"Warm."}]`,
	}
	third := map[string]any{
		"gen_ai.input.messages":  `[{"role":"user","content":"Weather?"},{"role":"assistant","content":"Warm."},{"role":"user","content":"Weather?"}]`,
		"gen_ai.output.messages": `[{"role":"assistant","content":"Warm."}]`,
	}
	embedding := map[string]any{"llm.request.type": "embedding", "gen_ai.prompt.0.content": "Weather?"}
	for name, c := range map[string]struct {
		trace []member
		want  map[span.Part]string
	}{
		"history is shown once": {
			trace: []member{
				{id: 1, attributes: workflow},
				{id: 3, parent: 2, start: 2, end: 3, attributes: second},
				{id: 4, parent: 2, start: 1, end: 2, attributes: first},
				{id: 2, parent: 1, attributes: map[string]any{"traceloop.span.kind": "task"}},
				{id: 5, parent: 1, start: 3, attributes: third},
				{id: 6, parent: 1, attributes: embedding},
			},
			want: map[span.Part]string{
				"prompts":         `["Weather?","Weather?"]`,
				"completions":     `["Warm.","Warm."]`,
				"input_messages":  `[{"role":"system","content":"S"},{"role":"user","content":"Weather?"},{"role":"tool","content":"21"},{"role":"user","content":"Weather?"}]`,
				"output_messages": `[{"role":"assistant","content":"","tool_calls":[{"name":"f","arguments":{"a": 1}}]},{"role":"assistant","content":"Warm."},{"role":"assistant","content":"Warm."}]`,
				"tool_calls":      `[{"name":"f","input":{"a": 1}}]`,
			},
		},
		"outer spans show the same": {
			trace: []member{
				{id: 1, attributes: workflow},
				{id: 2, parent: 1, start: 1, attributes: map[string]any{"ai.operationId": "ai.generateText", "ai.prompt": `{"prompt":"Q"}`, "ai.response.text": "A"}},
				{id: 3, parent: 2, start: 2, attributes: map[string]any{"ai.prompt.messages": `[{"role":"user","content":"Q"}]`, "ai.response.text": "A"}},
			},
			want: map[span.Part]string{"messages": `[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]`},
		},
		"an agent sees what is below it": {
			trace: []member{
				{id: 1, parent: 9, attributes: map[string]any{"traceloop.span.kind": "agent"}},
				{id: 9, attributes: workflow},
				{id: 2, parent: 1, attributes: prompts("mine", "yes")},
				{id: 3, parent: 9, attributes: prompts("other", "no")},
				{id: 4, parent: 77, attributes: prompts("lost", "no")},
			},
			want: map[span.Part]string{"prompts": `["mine"]`, "completions": `["yes"]`},
		},
		"below a root is everything": {
			trace: []member{{id: 1, attributes: workflow}, {id: 4, parent: 77, attributes: prompts("lost", "A")}},
			want:  map[span.Part]string{"prompts": `["lost"]`},
		},
		"messages of its own": {
			trace: []member{{id: 1, attributes: map[string]any{"traceloop.span.kind": "agent", "gen_ai.prompt": "own"}}, {id: 2, parent: 1, attributes: prompts("Q", "A")}},
			want:  map[span.Part]string{"prompts": `["own"]`, "completions": ""},
		},
		"nothing to be seen": {
			trace: []member{{id: 1, attributes: workflow}, {id: 2, parent: 1, attributes: map[string]any{"x": "y"}}},
			want:  map[span.Part]string{"prompts": "", "messages": "", "tool_calls": ""},
		},
		"a circle": {
			trace: []member{
				{id: 1, parent: 2, attributes: workflow},
				{id: 2, parent: 1, attributes: prompts("a", "b")},
				{id: 3, parent: 3, attributes: prompts("c", "d")},
				{id: 4, parent: 5, attributes: prompts("e", "f")},
				{id: 5, parent: 4, attributes: prompts("g", "h")},
			},
			want: map[span.Part]string{"prompts": `["a"]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := traceOf(t, c.trace...)
			for part, want := range c.want {
				got, ok := v.Part(part)
				require.Equal(t, want, got, part)
				require.Equal(t, want != "", ok, part)
			}
		})
	}
}

func TestToolsOfATrace(t *testing.T) {
	t.Parallel()
	tool := func(id, parent byte, start uint64, attributes map[string]any) member {
		attributes["openinference.span.kind"] = "TOOL"
		return member{id: id, parent: parent, start: start, attributes: attributes}
	}
	v, _ := traceOf(t,
		member{id: 1, attributes: workflow},
		tool(2, 1, 5, map[string]any{"tool.name": "b", "input.value": `{"args":[{"x":1}],"kwargs":{}}`}),
		tool(3, 1, 4, map[string]any{"gen_ai.tool.name": "a", "gen_ai.tool.call.arguments": `{"city":"Paris"}`}),
		tool(4, 3, 4, map[string]any{"tool.name": "a", "input.value": "the same run"}),
		tool(5, 3, 6, map[string]any{"traceloop.entity.name": "c", "traceloop.entity.input": `{"args":[],"kwargs":{"k":2}}`}),
		tool(6, 77, 7, map[string]any{"input.value": `{"args":["x",{}],"kwargs":{}}`}),
		tool(7, 1, 8, map[string]any{"tool.name": "d", "input.value": "plain \"text\""}),
		tool(8, 1, 9, map[string]any{"ai.toolCall.name": "e"}),
		tool(9, 9, 10, map[string]any{"tool.name": "self", "input.value": `{"args":[{"x":1}],"kwargs":{"y":2}}`}),
		member{id: 10, parent: 1, attributes: map[string]any{"gen_ai.output.messages": answer}},
	)
	got, ok := v.Part("tool_calls")
	require.True(t, ok)
	require.JSONEq(t, `[{"name":"a","input":{"city":"Paris"}},{"name":"b","input":{"x":1}},{"name":"c","input":{"k":2}},
		{"name":"span 6","input":{"args":["x",{}],"kwargs":{}}},{"name":"d","input":"plain \"text\""},{"name":"e","input":{}},
		{"name":"self","input":{"args":[{"x":1}],"kwargs":{"y":2}}}]`, got)
}

// recorded returns the views of a recording, by the names of the spans.
func recorded(t *testing.T, file string) (map[string]*genai.View, []*genai.View) {
	t.Helper()
	byName, all := map[string]*genai.View{}, []*genai.View(nil)
	for _, r := range genaitest.Recordings(t) {
		if r.File == file {
			eachSpan(t, r, func(resource pcommon.Resource, _ pcommon.InstrumentationScope, s ptrace.Span) {
				v := genai.NewView(resource, s)
				byName[s.Name()] = v
				all = append(all, v)
			})
		}
	}
	require.NotEmpty(t, all, file)
	return byName, all
}

const capital = `The capital of France is Paris. 日本語 ✓ émoji 🙂`

func TestRecordedTraces(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"traceloop-node-0.5.29-workflow-task-agent-tool-1.pb", "traceloop-node-0.22.8-workflow-task-agent-tool-1.pb", "traceloop-node-0.27.0-workflow-task-agent-tool-1.pb"} {
		byName, all := recorded(t, file)
		for _, name := range []string{"support_workflow.workflow", "answer_agent.agent"} {
			v := genai.NewTraceView(byName[name], all)
			for part, want := range map[span.Part]string{
				"prompts":     `["What is the capital of France? 日本"]`,
				"completions": `["` + capital + `"]`,
				"tool_calls":  `[{"name":"search_tool","input":{"args":["query",{"k":3}],"kwargs":{}}}]`,
				"context":     `{"hits":2,"a":"query","b":{"k":3}}`,
				"question":    "What is the capital of France?",
				"output":      capital,
			} {
				got, _ := v.Part(part)
				require.Equal(t, want, got, "%s: %s of %s", file, part, name)
			}
			text, _ := v.SpanAttribute("traceloop.entity.name")
			require.Equal(t, name, text+name[len(text):])
			_, ok := v.ResourceAttribute("service.name")
			require.True(t, ok)
		}
		require.True(t, byName["retrieve_docs.task"].Wants("prompts"))
	}

	byName, all := recorded(t, "openinference-openai-4.2.7-retriever-chain-1.pb.gz")
	for _, name := range []string{"rag", "OpenAI Chat Completions"} {
		require.True(t, byName[name].Wants("context"))
		got, _ := genai.NewTraceView(byName[name], all).Part("context")
		require.Equal(t, "Paris is the capital of France.\nLyon is a city.", got)
	}
	require.False(t, byName["retrieve"].Wants("context"))
	got, _ := genai.NewTraceView(byName["rag"], all).Part("messages")
	want, _ := byName["OpenAI Chat Completions"].Part("messages")
	require.Equal(t, want, got)

	byName, all = recorded(t, "vercel-ai-7.0.173-generateText-tools-1.json")
	agent := byName["invoke_agent gpt-4o-mini"]
	require.False(t, agent.Wants("prompts"), "it shows them itself")
	require.False(t, agent.Wants("tool_calls"))
	require.True(t, agent.Wants("context"))
	v := genai.NewTraceView(agent, all)
	got, _ = v.Part("context")
	require.JSONEq(t, `{"temp":21,"location":"Paris"}`, got)
	got, _ = v.Part("tool_calls")
	require.JSONEq(t, `[{"name":"get_weather","input":{"location":"Paris","unit":"c"}}]`, got)
	got, _ = v.Part("prompts")
	require.Equal(t, `["Weather in Paris?"]`, got)
	require.False(t, byName["step 2"].Wants("prompts"))
}

// A trace of any size is a matter of milliseconds, however its parents are.
func TestHugeTracesAreLinear(t *testing.T) {
	t.Parallel()
	const size = 10_000
	for name, parent := range map[string]func(i int) uint64{
		"siblings":  func(int) uint64 { return 1 },
		"a chain":   func(i int) uint64 { return uint64(i) + 1 },
		"backwards": func(i int) uint64 { return uint64(i) + 3 },
		"circles":   func(i int) uint64 { return uint64(i)&^7 + 2 + uint64(i+1)&7 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var views []*genai.View
			for i := range size {
				attributes := prompts(fmt.Sprint("Q", i%100), fmt.Sprint("A", i))
				switch {
				case i == 0:
					attributes = map[string]any{"traceloop.span.kind": "agent", "traceloop.entity.output": "x"}
				case i%2 == 0:
					attributes = map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.name": "f", "traceloop.entity.output": fmt.Sprint(i)}
				}
				s := newSpan(t, attributes)
				s.SetTraceID([16]byte{1})
				var id, above [8]byte
				binary.BigEndian.PutUint64(id[:], uint64(i)+1)
				binary.BigEndian.PutUint64(above[:], parent(i))
				s.SetSpanID(id)
				if s.SetParentSpanID(above); i == 0 {
					s.SetParentSpanID([8]byte{0xff})
				}
				views = append(views, genai.NewView(pcommon.NewResource(), s))
			}
			v := genai.NewTraceView(views[0], views)
			for _, part := range append([]span.Part{"context", "tool_calls"}, messageParts...) {
				_, _ = v.Part(part)
			}
		})
	}
}
