// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"encoding/json"
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
