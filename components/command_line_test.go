// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"golang.org/x/sys/unix"
)

// ended runs the built binary with some more variables until it ends, and returns what it
// printed.
func ended(t *testing.T, variables []string, stdin string, args ...string) (out, told string, err error) {
	t.Helper()
	file, err := binary()
	if err != nil {
		return "", "", err
	}
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Env = append(os.Environ(), variables...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// command runs a command against the collector, and returns what it printed and the
// code it ended with.
func (h *collector) command(t *testing.T, key, stdin string, args ...string) (out, told string, code int) {
	t.Helper()
	out, told, err := ended(t, []string{"TOUCHSTONE_API=" + h.API, "TOUCHSTONE_API_KEY=" + key}, stdin, args...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	require.NotContains(t, out+told, key)
	if exit != nil {
		code = exit.ExitCode()
	}
	return out, told, code
}

// onTerminal runs a command as command does, with a terminal as its standard error, and
// returns what was written there.
func (h *collector) onTerminal(t *testing.T, key string, args ...string) string {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, screen.Close()) }()
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Env = append(os.Environ(), "TOUCHSTONE_API="+h.API, "TOUCHSTONE_API_KEY="+key, "TERM=xterm")
	cmd.Stderr = terminal
	require.NoError(t, cmd.Start())
	require.NoError(t, terminal.Close())
	shown, err := io.ReadAll(screen)
	require.ErrorIs(t, err, unix.EIO, "all others have closed the terminal")
	require.NoError(t, cmd.Wait())
	return string(shown)
}

// configured runs the binary as the collector would run, with its own ports that no other
// has.
func (h *collector) configured(t *testing.T, args ...string) (out, told string, err error) {
	t.Helper()
	var variables []string
	for name, value := range h.Env {
		variables = append(variables, name+"="+value)
	}
	return ended(t, variables, "", args...)
}

// A search that ends at a bound is gone on with until there are as many spans as were
// asked for, or none any more.
func TestCommandLineGoesOnWithSearchesInParts(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	h.settings = append(h.settings, "extensions::store::queries::max_spans: 8")
	h.start(t)
	key := h.key(t, "ours")
	td := someTraces(7, 40)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	begin := time.Now().Add(-40 * time.Minute)
	for i := range 40 {
		start := begin.Add(time.Duration(i) * time.Minute)
		spans.At(i).SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		spans.At(i).SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Second)))
		if i == 2 || i == 20 {
			spans.At(i).Attributes().PutStr("note", "a needle in it")
		}
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	for _, order := range []string{"asc", "desc"} {
		out, told, code := h.command(t, key, "", "spans", "-f", "note ~ needle", "--order", order)
		require.Zero(t, code, told)
		require.Contains(t, out, "2 of 2 spans", "all was looked at")
		out, told, code = h.command(t, key, "", "spans", "-f", "note ~ needle", "--order", order, "-n", "1")
		require.Zero(t, code, told)
		require.Contains(t, out, "1 of at least 1 spans")
		out, told, code = h.command(t, key, "", "spans", "-f", "note ~ needle", "--order", order, "-n", "1", "-o", "json")
		require.Zero(t, code, told)
		require.Contains(t, out, `"partial": true`)
		out, _, code = h.command(t, key, "", "spans", "-f", "note ~ needle", "--order", order, "--all", "-o", "json")
		require.Zero(t, code)
		require.Len(t, strings.Split(strings.TrimSpace(out), "\n"), 2)
	}
	_, told, code := h.command(t, key, "", "spans", "-f", "note ~ needle", "--sort", "duration_ms")
	require.NotZero(t, code)
	require.Contains(t, told, "in the order of timestamp")
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	h.start(t)
	key := h.key(t, "ours")

	dir := t.TempDir()
	file := filepath.Join(dir, "setups.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(`setups:
- external_id: answers
  selector:
  - {key: llm.vendor, source: span_attributes, operator: exists}
  evaluators: [word-count, {evaluator_type: pii-detector, sample_rate: 1, config: {probability_threshold: 0.9}}]
  min_spans: 1
- external_id: short
  selector: {llm.vendor: openai}
  evaluators: [char-count]
  evaluator_configs:
    char-count: {input_mapping: {text: output}, backend: auto}
- entity_type: agent
  entity_value: planner
  evaluators: [word-count]
`)
	out, told, code := h.command(t, key, "", "setups", "apply", "--dry-run", file)
	require.Equal(t, 4, code, told)
	require.Contains(t, out, "+ answers")
	require.Empty(t, must[[]any](t, h, "GET", "/v2/auto-monitor-setups", key, nil))
	out, told, code = h.command(t, key, "", "setups", "apply", file)
	require.Zero(t, code, told)
	require.Contains(t, out, "+ agent:planner")
	out, told, code = h.command(t, key, "", "setups", "apply", "--dry-run", file)
	require.Zero(t, code, "%s%s: applying is idempotent", out, told)
	require.Contains(t, out, "answers (unchanged)")
	write(`{"external_id": "answers", "selector": [{"key": "llm.vendor", "source": "span_attributes", "op": "equals", "value": "openai"}], "evaluators": ["word-count"], "deadline_sec": 60}`)
	out, told, code = h.command(t, key, "", "setups", "apply", file)
	require.Zero(t, code, told)
	require.Contains(t, out, `selector[0].operator: "exists" -> "equals"`)
	require.Contains(t, out, `deadline_sec: none -> 60`)
	require.Contains(t, out, `evaluators.pii-detector.runs: true -> none`)
	_, _, code = h.command(t, key, "", "setups", "apply", "--dry-run", file)
	require.Zero(t, code)
	const paused = `{"external_id": "answers", "selector": {"llm.vendor": "openai"}, "evaluators": ["word-count"], "deadline_sec": 60`
	for _, step := range []struct{ file, changed string }{
		{paused + `, "paused": true}`, "paused: none -> true"},
		{paused + `, "paused": true}`, "answers (unchanged)"},
		{strings.Replace(paused, "word-count", "char-count", 1) + `}`, "paused: true -> none"},
		{strings.Replace(paused, "word-count", "char-count", 1) + `, "paused": false}`, "answers (unchanged)"},
		{paused + `}`, "evaluators.word-count.runs: none -> true"},
	} {
		write(step.file)
		out, told, code = h.command(t, key, "", "setups", "apply", file)
		require.Zero(t, code, told)
		require.Contains(t, out, step.changed)
	}
	write("external_id: broken\nevaluators: [no-such]")
	_, told, code = h.command(t, key, "", "setups", "apply", file)
	require.Equal(t, 1, code)
	require.Contains(t, told, "broken: ")
	for text, want := range map[string]string{"": "must hold a setup", "[1]": "is not an object", "a: [": "neither YAML nor JSON", "evaluators: []": "has no external_id", "[{external_id: a}, {external_id: a}]": "is in"} {
		write(text)
		_, told, code = h.command(t, key, "", "setups", "apply", file)
		require.Equal(t, 2, code, text)
		require.Contains(t, told, want)
	}
	out, _, code = h.command(t, key, "", "setups")
	require.Zero(t, code)
	require.Regexp(t, `answers .*word-count`, out)
	out, _, code = h.command(t, key, "", "setups", "-o", "json")
	require.Zero(t, code)
	write(out)
	other := h.key(t, "theirs")
	out, told, code = h.command(t, other, "", "setups", "apply", file)
	require.Zero(t, code, told)
	require.Contains(t, out, "+ answers")
	for _, key := range []string{key, other} {
		out, told, code = h.command(t, key, "", "setups", "apply", "--dry-run", file)
		require.Zero(t, code, "%s%s: what one environment answers is what another one has then", out, told)
	}

	td := someTraces(7, 3)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	spans.At(0).SetName("root \x1b[31m\u202e")
	spans.At(1).SetParentSpanID(spans.At(0).SpanID())
	require.NoError(t, h.exportGRPC(t, key, td))
	out, told, code = h.command(t, key, "", "spans", "-f", "evaluation.word-count.word_count > 2", "-f", "llm.vendor = openai")
	require.Zero(t, code, told)
	require.Contains(t, out, "3 of 3 spans")
	out, told, code = h.command(t, key, "", "spans", "-f", "llm.vendor in anthropic,openai", "-f", "llm.vendor not_in x,y")
	require.Equal(t, 0, code, told)
	require.Contains(t, out, "3 of 3 spans")
	require.Contains(t, out, "About 384,400 km.")
	require.Contains(t, out, "word-count.word_count=3")
	require.Contains(t, out, "root <U+001B>[31m<U+202E>", "no text of a span moves the cursor")
	out, _, code = h.command(t, key, "", "spans", "--all", "-o", "json", "--since", "1d", "-n", "1")
	require.Zero(t, code)
	require.Len(t, strings.Split(strings.TrimSpace(out), "\n"), 3)
	for l := range strings.Lines(out) {
		require.True(t, json.Valid([]byte(l)))
	}
	require.Regexp(t, `spans \.\.\. done! .*\[3 `, h.onTerminal(t, key, "spans", "--all", "-o", "json", "--since", "1d", "-n", "1"), "who watches sees how far it is")
	trace := spans.At(0).TraceID().String()
	out, _, code = h.command(t, key, "", "trace", trace)
	require.Zero(t, code)
	require.Regexp(t, `(?s)root .*└─ chat 1`, out)
	same, _, code := h.command(t, key, "", "trace", strings.ToUpper(trace))
	require.Zero(t, code)
	require.Equal(t, out, same)
	_, told, code = h.command(t, key, "", "trace", trace[1:])
	require.Equal(t, 2, code)
	require.Contains(t, told, "TRACE_ID must be 32 hexadecimal digits")
	judged := spans.At(0).SpanID().String()
	must[map[string]any](t, h, "POST", "/v2/warehouse/spans/"+trace+"/"+judged+"/labels", key, map[string]any{"name": "correct", "value": true, "author": "jane"})
	gone := must[map[string]any](t, h, "GET", "/v2/auto-monitor-setups/short", key, nil)["id"].(string)
	must[any](t, h, "DELETE", "/v2/auto-monitor-setups/short", key, nil)
	out, told, code = h.command(t, key, "", "explain", trace, judged)
	require.Zero(t, code, told)
	require.Regexp(t, `(?s)^1 of 2 auto monitor setups .*answers .*word-count +done`, out)
	require.Regexp(t, gone+` \(deleted\) .*deleted since it judged the span`, out)
	require.Regexp(t, `human:jane +correct +done +given at`, out)
	_, told, code = h.command(t, key, "", "trace", "00000000000000000000000000000001")
	require.Equal(t, 1, code)
	require.Contains(t, told, "no span of trace")

	out, _, code = h.command(t, key, "four words are here", "evaluate", "word-count", "-i", "text=@-", "-o", "json")
	require.Zero(t, code)
	require.Contains(t, out, "4")
	out, _, code = h.command(t, key, "", "evaluate", "char-count", "-i", "text=abc")
	require.Zero(t, code)
	require.Contains(t, out, "deterministic")
	_, told, code = h.command(t, key, "", "evaluate", "no-such", "-i", "text=abc")
	require.Equal(t, 1, code)
	require.Contains(t, told, "(404)")

	out, _, code = h.command(t, key, "", "health")
	require.Zero(t, code)
	require.Contains(t, out, "monitoring.status")
	_, told, code = h.command(t, "wrong", "", "spans")
	require.Equal(t, 1, code)
	require.Contains(t, told, "API key is not known")
	_, told, code = h.command(t, key, "", "health", "--url", "http://127.0.0.1:1")
	require.Equal(t, 3, code)
	require.Contains(t, told, "does not answer")
	for _, args := range [][]string{{"spans", "--limit", "0"}, {"spans", "--since", "soon"}, {"spans", "-f", "x"}, {"spans", "--no-such"}, {"spans", "x"}, {"health", "-o", "xml"}, {"health", "--url", "x"}, {"evaluate", "a", "-i", "b"}} {
		_, told, code = h.command(t, key, "", args...)
		require.Equal(t, 2, code, "%v: %s", args, told)
	}
	out, _, code = h.command(t, key, "", "components")
	require.Zero(t, code, "the collector's own commands are as they were")
	require.Contains(t, out, "spanstore")
	out, _, code = h.command(t, key, "", "--help")
	require.Zero(t, code)
	require.Regexp(t, `(?s)\n  spans .*\n  verify .*\n  validate .*\n  --config `, out, "our commands, then the collector's")
	require.NotRegexp(t, `\w+\.\w+\.\w+,`, out, "no list of feature gates")
	out, _, code = h.command(t, key, "", "__complete", "")
	require.Zero(t, code)
	require.Regexp(t, `(?s)^access-token\t.*\nspans\t.*\nvalidate\t.*\n:[0-9]+\n$`, out)
	out, _, code = h.command(t, key, "", "help", "setups", "apply")
	require.Zero(t, code)
	require.Contains(t, out, "--dry-run")
	out, told, code = h.command(t, key, "", "-o", "json", "setups")
	require.Zero(t, code, told)
	require.True(t, json.Valid([]byte(out)))
}
