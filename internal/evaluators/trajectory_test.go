// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

const trajectorySlug = "agent-tool-trajectory"

// tools writes calls such as "a q=1 r=x" as a list of tool calls.
func tools(t *testing.T, calls ...string) string {
	t.Helper()
	list := []map[string]any{}
	for _, c := range calls {
		words := strings.Fields(c)
		params := map[string]any{}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			params[key] = json.RawMessage(value)
		}
		list = append(list, map[string]any{"name": words[0], "input": params})
	}
	return string(toJSON(t, list))
}

type verdict struct {
	Reason  string
	Score   float64
	Success bool
}

func judge(t *testing.T, expected, executed, config string) verdict {
	t.Helper()
	e, ok := Catalog().Get(trajectorySlug)
	require.True(t, ok)
	input := toJSON(t, map[string]string{"expected_tool_calls": expected, "executed_tool_calls": executed})
	got, err := e.FromJSON(t.Context(), input, json.RawMessage(config))
	require.NoError(t, err)
	answer, err := json.Marshal(got)
	require.NoError(t, err)
	var v verdict
	require.NoError(t, json.Unmarshal(answer, &v))
	return v
}

func TestTrajectoryScores(t *testing.T) {
	t.Parallel()
	modes := []string{
		`{}`,
		`{"order_sensitive": true}`,
		`{"mismatch_sensitive": true}`,
		`{"mismatch_sensitive": true, "order_sensitive": true}`,
		`{"input_params_sensitive": false}`,
	}
	calls := func(list ...string) []string { return list }
	for _, row := range []struct {
		about              string
		expected, executed []string
		want               [5]float64
	}{
		{"identical", calls("a q=1", "b"), calls("a q=1", "b"), [5]float64{1, 1, 1, 1, 1}},
		{"reordered", calls("a q=1", "b"), calls("b", "a q=1"), [5]float64{1, .5, 1, 0, 1}},
		{"one of two missing", calls("a q=1", "b"), calls("a q=1"), [5]float64{.5, .5, 0, 0, .5}},
		{"one extra call", calls("a q=1", "b"), calls("a q=1", "c", "b"), [5]float64{1, 1, 0, 0, 1}},
		{"one of two params wrong", calls("a q=1 r=2"), calls("a q=1 r=3"), [5]float64{.5, .5, 0, 0, 1}},
		{"executed has an extra param", calls("a q=1"), calls("a q=1 r=2"), [5]float64{.5, .5, 0, 0, 1}},
		{"duplicate expected, called twice", calls("a q=1", "a q=1"), calls("a q=1", "a q=1"), [5]float64{1, 1, 1, 1, 1}},
		{"duplicate expected, called once", calls("a q=1", "a q=1"), calls("a q=1"), [5]float64{.5, .5, 0, 0, .5}},
		{"expected once, called twice", calls("a q=1"), calls("a q=1", "a q=1"), [5]float64{1, 1, 0, 0, 1}},
		{"greedy trap", calls("p a=1 q=9 r=0", "p a=1 q=9"), calls("p a=1 q=2", "p a=1 q=9"), [5]float64{2. / 3, 2. / 3, 0, 0, 1}},
		{"1 and 1.0", calls("a q=1"), calls("a q=1.0"), [5]float64{1, 1, 1, 1, 1}},
		{"both empty", calls(), calls(), [5]float64{1, 1, 1, 1, 1}},
		{"expected empty", calls(), calls("a"), [5]float64{0, 0, 0, 0, 0}},
		{"executed empty", calls("a"), calls(), [5]float64{0, 0, 0, 0, 0}},
	} {
		for i, mode := range modes {
			got := judge(t, tools(t, row.expected...), tools(t, row.executed...), mode)
			require.InDelta(t, row.want[i], got.Score, 1e-12, "%s %s", row.about, mode)
			require.Equal(t, row.want[i] >= .5, got.Success, "%s %s", row.about, mode)
			require.NotEmpty(t, got.Reason)
		}
	}
}

func TestTrajectoryValuesCompareByValue(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		expected, executed string
		want               float64
	}{
		{`{"a": {"b": [1, 2]}}`, `{"a": {"b": [1.0, 2e0]}}`, 1},
		{`{"a": [1, 2]}`, `{"a": [2, 1]}`, 0},
		{`{"a": {"x": 1, "y": 2}}`, `{"a": {"y": 2, "x": 1}}`, 1},
		{`{"a": {"x": 1, "y": 2}}`, `{"a": {"y": 3, "x": 1}}`, .5},
		{`{"a": {"x": 1, "y": 2}, "b": 1}`, `{"a": {"x": 1}, "b": 1}`, .75},
		{`{"a": true}`, `{"a": 1}`, 0},
		{`{"a": "1"}`, `{"a": 1}`, 0},
		{`{"a": null}`, `{"a": null}`, 1},
		{`{"a": null}`, `{}`, 0},
		{`{"a": 12345678901234567890123}`, `{"a": 12345678901234567890123.0}`, 1},
		{`{"a": 12345678901234567890123}`, `{"a": 12345678901234567890124}`, 0},
		{`{"a": 0}`, `{"a": -0.0e9}`, 1},
		{`{"a": 1e999999999999999999999}`, `{"a": 1e999999999999999999999}`, 1},
		{`{"a": 100}`, `{"a": 1e2}`, 1},
		{`{"a": 0.10}`, `{"a": 1E-1}`, 1},
		{`[1, 2]`, `[1, 2]`, 1},
		{`[1, 2]`, `[1]`, 0},
		{`"plain text"`, `"plain text"`, 1},
		{`"{\"q\": 1}"`, `{"q": 1}`, 1},
		{`{}`, `null`, 1},
	} {
		got := judge(t, `[{"name": "f", "input": `+row.expected+`}]`, `[{"name": "f", "input": `+row.executed+`}]`, "")
		require.InDelta(t, row.want, got.Score, 1e-12, "%s %s", row.expected, row.executed)
	}
}

func TestTrajectoryReadsTheFormsOfManyFrameworks(t *testing.T) {
	t.Parallel()
	const want = `[{"name": "f", "input": {"q": 1}}]`
	for _, same := range []string{
		`[{"name": " f ", "input": {"q": 1}}]`,
		`[{"tool_name": "f", "arguments": {"q": 1}}]`,
		`[{"tool": "f", "args": {"q": 1}}]`,
		`[{"name": "f", "parameters": {"q": 1}, "id": "7", "type": "function", "output": "x"}]`,
		`[{"name": "f", "input_parameters": {"q": 1}}]`,
		`[{"name": "f", "inputParameters": {"q": 1}}]`,
		`[{"toolCallId": "1", "toolName": "f", "input": {"q": 1}}]`,
		`[{"tool": "f", "tool_input": {"q": 1}, "log": ""}]`,
		`[{"functionCall": {"name": "f", "args": {"q": 1}}}]`,
		`[{"function_call": {"id": "1", "name": "f", "args": {"q": 1}}}]`,
		`[{"toolUse": {"toolUseId": "1", "name": "f", "input": {"q": 1}}}]`,
		`[{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{\"q\": 1}"}}]`,
		`[{"name": "", "tool": {"deep": 1}, "function": {"name": "f"}, "input": null, "args": {"q": 1}}]`,
		`[{'name': 'f', 'input': {'q': 1}}]`,
		`[{'name': "f", 'input': {'q': 1,},},]`,
		`({'name': 'f', 'input': {'q': 1}},)`,
		"\n [ {\"name\":\"f\",\"input\":{\"q\":1.0}} ] \n",
	} {
		require.InDelta(t, 1, judge(t, want, same, `{"mismatch_sensitive": true}`).Score, 0, same)
	}
	require.InDelta(t, 1, judge(t, `["f", "g"]`, `[{"name": "g"}, {"name": "f", "input": {}}]`, "").Score, 0)
}

func TestTrajectoryRefusesBrokenLists(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get(trajectorySlug)
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for text, want := range map[string]string{
		``:                                       "must be a JSON array of tool calls",
		`search`:                                 "must be a JSON array of tool calls",
		`{"name": "f"}`:                          "must be a JSON array of tool calls",
		`"[]"`:                                   "must be a JSON array of tool calls",
		`[] []`:                                  "must be a JSON array of tool calls",
		`[]]`:                                    "must be a JSON array of tool calls",
		`["f"`:                                   "must be a JSON array of tool calls",
		`["f", {"input": {}}]`:                   "has no tool name in element 2",
		`[7]`:                                    "has no tool name in element 1",
		`[null]`:                                 "has no tool name in element 1",
		`["  "]`:                                 "has no tool name in element 1",
		`[{"name": 7}]`:                          "has no tool name in element 1",
		`[{"name": "f", "input": ` + deep + `}]`: "must not be nested deeper than 64 levels",
		`[{'name': 'f', 'input': ` + strings.ReplaceAll(deep, `"`, `'`) + `}]`: "must be a JSON array of tool calls",
		`["f"` + strings.Repeat(`,"f"`, 1000) + `]`:                            "must hold at most 1000 tool calls",
		strings.Repeat(`[`, 100_000):                                           "must be a JSON array of tool calls",
	} {
		for _, field := range []string{"executed_tool_calls", "expected_tool_calls"} {
			input := map[string]any{"executed_tool_calls": "[]", "expected_tool_calls": "[]"}
			input[field] = text
			refuses(t, e, input, nil, fault.Invalid, "input."+field+" "+want)
		}
	}
}

func TestTrajectoryBoundsItsWork(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get(trajectorySlug)
	many := func(seed int) []map[string]any {
		list := make([]map[string]any, 1000)
		for i := range list {
			params := map[string]int{}
			for k := range 100 {
				params[fmt.Sprintf("%x", k)] = seed + i
			}
			list[i] = map[string]any{"name": "f", "input": params}
		}
		return list
	}
	input := map[string]any{"executed_tool_calls": many(1), "expected_tool_calls": many(2)}
	refuses(t, e, input, nil, fault.TooLarge, "too many parameters to compare")
	refuses(t, e, input, json.RawMessage(`{"order_sensitive": true}`), fault.TooLarge, "too many parameters to compare")
	_, err := e.FromJSON(t.Context(), toJSON(t, input), json.RawMessage(`{"input_params_sensitive": false, "order_sensitive": true}`))
	require.NoError(t, err)
}

func TestTrajectoryReasons(t *testing.T) {
	t.Parallel()
	got := judge(t, tools(t, "a q=1 r=2", "b", "c"), tools(t, "c", "a q=1 r=3", "d"), `{"order_sensitive": true, "threshold": 0.9}`)
	require.Contains(t, got.Reason, "1 of 3 expected tool calls matched (order considered, parameters compared)")
	require.Contains(t, got.Reason, "Missing: b.")
	require.Contains(t, got.Reason, "Out of order: a.")
	require.Contains(t, got.Reason, "Unexpected, ignored: d")
	require.Contains(t, got.Reason, "below the threshold 0.90")

	got = judge(t, tools(t, "a q=1 r=2"), tools(t, "a q=1 s=3"), "")
	require.Contains(t, got.Reason, "Different parameters: a (r, s).")
	require.NotContains(t, got.Reason, "3)", "values stay out")

	got = judge(t, tools(t, "a"), tools(t, "a", "b"), `{"mismatch_sensitive": true}`)
	require.Contains(t, got.Reason, "exact match required")
	require.Contains(t, got.Reason, "Unexpected: b.")

	got = judge(t, tools(t), tools(t, "a"), `{"input_params_sensitive": false}`)
	require.Contains(t, got.Reason, "No tool calls were expected")

	names := make([]string, 13)
	for i := range names {
		names[i] = fmt.Sprintf("tool%d", i)
	}
	got = judge(t, tools(t, names...), "[]", "")
	require.Contains(t, got.Reason, "tool9 and 3 more.")

	long := strings.Repeat("é", 200)
	got = judge(t, tools(t, long), "[]", "")
	require.Contains(t, got.Reason, strings.Repeat("é", 80)+"…")
	require.NotContains(t, got.Reason, strings.Repeat("é", 81))
}

func BenchmarkTrajectoryTypical(b *testing.B) {
	e, _ := Catalog().Get(trajectorySlug)
	span := parts{
		"tool_calls":                    `[{"name":"search","input":{"query":"weather in Paris","limit":5}},{"name":"answer","input":{"text":"sunny"}}]`,
		"attribute:expected_tool_calls": `[{"name":"search","input":{"query":"weather in Paris"}},{"name":"answer","input":{"text":"sunny"}}]`,
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTrajectoryHostile(b *testing.B) {
	e, _ := Catalog().Get(trajectorySlug)
	list := func(seed int) string {
		var s strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&s, `,{"name":"f","input":{"a":%d,"b":%d}}`, seed+i, i%7)
		}
		return "[" + s.String()[1:] + "]"
	}
	span := parts{"tool_calls": list(0), "attribute:expected_tool_calls": list(5)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
			b.Fatal(err)
		}
	}
}
