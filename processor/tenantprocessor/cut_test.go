// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/metric/noop"
)

func TestLongValuesAreCutWithAMark(t *testing.T) {
	t.Parallel()
	c := &cutter{most: 64}
	long := strings.Repeat("é", 100)
	check := func(got string) {
		t.Helper()
		require.LessOrEqual(t, len(got), 64)
		require.True(t, utf8.ValidString(got))
		require.True(t, strings.HasPrefix(got, "éé"))
		require.True(t, strings.HasSuffix(got, "é… [cut: 200 bytes]"), got)
	}

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	s := ss.Spans().AppendEmpty()
	s.Status().SetMessage(long)
	maps := []pcommon.Map{
		rs.Resource().Attributes(), ss.Scope().Attributes(), s.Attributes(),
		s.Events().AppendEmpty().Attributes(), s.Links().AppendEmpty().Attributes(),
	}
	for _, m := range maps {
		m.PutStr("long", long)
		m.PutStr("short", long[:64])
		m.PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutStr("in", long)
		m.PutEmptyBytes("bytes").FromRaw(make([]byte, 100))
	}
	_, err := c.processTraces(asEnvironment(t, "env-b"), td)
	require.NoError(t, err)
	check(s.Status().Message())
	for _, m := range maps {
		raw := m.AsRaw()
		check(raw["long"].(string))
		require.Equal(t, long[:64], raw["short"])
		check(raw["list"].([]any)[0].(map[string]any)["in"].(string))
		require.Len(t, raw["bytes"], 64)
	}

	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Body().SetEmptyMap().PutStr("content", long)
	record.Attributes().PutStr("long", long)
	_, err = c.processLogs(asEnvironment(t, "env-b"), ld)
	require.NoError(t, err)
	check(record.Body().AsRaw().(map[string]any)["content"].(string))
	check(record.Attributes().AsRaw()["long"].(string))
}

func TestNothingIsCutWithoutABound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2<<20)
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.Attributes().PutStr("long", long)
	s.Status().SetMessage(long)
	c, err := (&Config{}).cutter(noop.NewMeterProvider())
	require.NoError(t, err)
	_, err = c.processTraces(asEnvironment(t, "env-b"), td)
	require.NoError(t, err)
	require.Equal(t, long, s.Attributes().AsRaw()["long"])
	require.Equal(t, long, s.Status().Message())
}

func TestBytesThatAreNoTextAreCutToo(t *testing.T) {
	t.Parallel()
	c := &cutter{most: 64}
	require.LessOrEqual(t, len(c.text(strings.Repeat("\x80", 1000))), 64)
	require.LessOrEqual(t, len(c.text(strings.Repeat("\xff", 1000))), 64)
}

// Of a conversation with an attachment the words stay, and it stays JSON.
func TestLongStringsOfJSONAreCut(t *testing.T) {
	t.Parallel()
	c := &cutter{most: 1 << 20}
	attachment := strings.Repeat("QUJD", 5<<20)
	got := c.text(`[{"role":"user","parts":[{"type":"blob","content":"` + attachment + `"},{"type":"text","content":"What is \u0022this\u0022?"}]}]`)
	require.LessOrEqual(t, len(got), 1<<20)
	var messages []struct {
		Parts []struct{ Content string }
	}
	require.NoError(t, json.Unmarshal([]byte(got), &messages))
	require.Equal(t, `What is "this"?`, messages[0].Parts[1].Content)
	require.True(t, strings.HasSuffix(messages[0].Parts[0].Content, "… [cut: 20971522 bytes]"))

	for name, text := range map[string]string{
		"cut off":          `[{"a":"` + attachment,
		"with a tail":      `["` + attachment + `"] x`,
		"many small ones":  "[" + strings.Repeat(`"QUJD",`, 1<<20) + `""]`,
		"deep":             strings.Repeat("[", 5<<20),
		"one long literal": "[" + strings.Repeat("1", 5<<20) + "]",
	} {
		got := c.text(text)
		require.LessOrEqual(t, len(got), 1<<20, name)
		require.True(t, strings.HasSuffix(got, " bytes]"), name)
	}
}

// A conversation of many short messages keeps its instructions and its last messages,
// wherever in the value it stands.
func TestLongConversationsLoseTheirMiddle(t *testing.T) {
	t.Parallel()
	c := &cutter{most: 64 << 10}
	var turns []string
	for i := range 4000 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"question %d"}`, i))
	}
	list := `[{"role":"system","content":"Be kind."}, ` + strings.Join(turns, ",\n") + ` ]`
	for form, messages := range map[string]func(v any) any{
		list: func(v any) any { return v },
		`{"model":"m","stop":["a","b"],"messages":` + list + `,"n":1}`: func(v any) any { return v.(map[string]any)["messages"] },
		"[" + list + "]": func(v any) any { return v.([]any)[0] },
	} {
		short := c.text(form)
		require.LessOrEqual(t, len(short), c.most)
		require.Greater(t, len(short), c.most-200, "no more goes than has to")
		var read any
		require.NoError(t, json.Unmarshal([]byte(short), &read), "%.80s", form)
		got := messages(read).([]any)
		require.Equal(t, map[string]any{"role": "system", "content": "Be kind."}, got[0])
		require.Regexp(t, `^… \[cut: \d+ bytes\]$`, got[1])
		require.Equal(t, map[string]any{"role": "user", "content": "question 3999"}, got[len(got)-1])
	}
	require.True(t, strings.HasSuffix(c.text("["+strings.Repeat("[", 100_000)), " bytes]"), "what is no JSON keeps its beginning")
	long := `["` + strings.Repeat("a", 1000) + `","` + strings.Repeat(`\u0061`, 20_000) + `","b"]`
	require.LessOrEqual(t, len(c.text(long)), c.most)
}
