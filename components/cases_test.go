// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fieldCase is what an SDK sends, and what its user expects to see, as a file of
// testdata/cases holds it. In its texts $TRACE is the id of a trace, $SPAN1 that of a span,
// and $T+250 a time in nanoseconds.
type fieldCase struct {
	Why    string          `json:"why"`
	Send   json.RawMessage `json:"send"`
	Expect json.RawMessage `json:"expect"`
}

// fieldCall is one request of a case. A request of OTLP may stand there bare.
type fieldCall struct {
	ResourceSpans json.RawMessage `json:"resourceSpans"`
	ResourceLogs  json.RawMessage `json:"resourceLogs"`
	To            string          `json:"to"`
	Method        string          `json:"method"`
	Path          string          `json:"path"`
	Body          any             `json:"body"`
	Pause         float64         `json:"pause"` // until what was sent is stored
}

// fieldCheck is one expectation of a case: what to look at, where in it, and a test.
type fieldCheck struct {
	Trace  string         `json:"trace"`
	Span   string         `json:"span"`
	Inputs string         `json:"inputs"`
	Judged string         `json:"judged"`
	Of     string         `json:"of"`
	Config map[string]any `json:"config"`
	Call   *fieldCall     `json:"call"`
	At     []any          `json:"at"`

	Equals   json.RawMessage `json:"equals"`
	JSON     json.RawMessage `json:"json"`
	Contains *string         `json:"contains"`
	Lacks    *string         `json:"lacks"`
	OneOf    []any           `json:"one_of"`
	Near     []float64       `json:"near"`
	Present  bool            `json:"present"`
	Status   int             `json:"status"`
}

// TestCasesOfTheField plays what SDKs of the field send, and expects what their users do.
func TestCasesOfTheField(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	h := startCollector(t, t.TempDir())
	keys, err := h.Keys(t.Context(), "cases", names(len(files))...)
	require.NoError(t, err)
	for i, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			h.play(t, keys[i], raw)
		})
	}
}

// names returns so many names of environments.
func names(n int) (list []string) {
	for i := range n {
		list = append(list, "env-"+strconv.Itoa(i))
	}
	return list
}

// play sends a case in an environment of its own.
func (h *collector) play(t *testing.T, key string, raw []byte) {
	t.Helper()
	fill := filler()
	var c fieldCase
	require.NoError(t, json.Unmarshal([]byte(fill(string(raw))), &c))
	var calls []json.RawMessage
	if json.Unmarshal(c.Send, &calls) != nil {
		calls = []json.RawMessage{c.Send}
	}
	for _, one := range calls {
		var call fieldCall
		require.NoError(t, json.Unmarshal(one, &call))
		switch {
		case call.ResourceSpans != nil:
			call = fieldCall{Path: "/v1/traces", Body: one}
		case call.ResourceLogs != nil:
			call = fieldCall{Path: "/v1/logs", Body: one}
		}
		status, answer := h.ask(t, key, &call)
		require.Less(t, status, http.StatusMultipleChoices, "%s: %s", call.Path, answer)
		if setup, ok := call.Body.(map[string]any); ok && call.Path == "/v2/auto-monitor-setups" {
			h.awaitLoaded(t, key, fmt.Sprint(setup["external_id"]))
		}
		if call.Pause > 0 {
			var span fieldCheck
			span.Span = fill("$SPAN1")
			require.Eventually(t, func() bool { _, status := h.look(t, key, fill("$TRACE"), &span); return status == http.StatusOK }, patience, 20*time.Millisecond)
		}
	}
	var checks []json.RawMessage
	require.NoError(t, json.Unmarshal(c.Expect, &checks))
	for _, one := range checks {
		var check fieldCheck
		require.NoError(t, json.Unmarshal(one, &check))
		var got any
		require.Eventually(t, func() bool {
			answer, status := h.look(t, key, fill("$TRACE"), &check)
			got = dig(answer, check.At)
			return check.holds(got, status)
		}, casePatience, 50*time.Millisecond, "%s\n%s\ngot %v", c.Why, one, late{&got})
	}
}

// casePatience is how long what is sent may take to be seen; monitors wait for messages in
// log records for some seconds.
const casePatience = 90 * time.Second

// late shows a value as it is when it is printed.
type late struct{ value *any }

func (l late) String() string { return fmt.Sprint(*l.value) }

var fieldNames = regexp.MustCompile(`\$(TRACE\d*|SPAN\d*|T\+\d+|SEC[+-]\d+|TAG|BIG:\d+)`)

// filler returns what puts ids and times of one run into texts.
func filler() func(string) string {
	begin, known := time.Now().Add(-20*time.Second), map[string]string{}
	random := func(name string, size int) string {
		if known[name] == "" {
			b := make([]byte, size)
			_, _ = rand.Read(b) // never fails
			known[name] = hex.EncodeToString(b)
		}
		return known[name]
	}
	return func(text string) string {
		return fieldNames.ReplaceAllStringFunc(text, func(name string) string {
			number, _ := strconv.Atoi(strings.TrimLeft(name, "$TSECBIG:+"))
			switch {
			case strings.HasPrefix(name, "$TRACE"):
				return random(name, 16)
			case strings.HasPrefix(name, "$SPAN"):
				return random(name, 8)
			case strings.HasPrefix(name, "$T+"):
				return strconv.FormatInt(begin.Add(time.Duration(number)*time.Millisecond).UnixNano(), 10)
			case strings.HasPrefix(name, "$SEC"):
				return strconv.FormatInt(time.Now().Unix()+int64(number), 10)
			case strings.HasPrefix(name, "$BIG:"):
				return strings.Repeat("a", number)
			}
			return random(name, 4)
		})
	}
}

// ask sends one request.
func (h *collector) ask(t *testing.T, key string, call *fieldCall) (int, []byte) {
	t.Helper()
	if call.To == "api" {
		method := call.Method
		if method == "" {
			method = http.MethodPost
		}
		return h.call(t, method, call.Path, key, call.Body)
	}
	body, err := json.Marshal(call.Body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.HTTP+call.Path, strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, answer
}

// look returns what a check is about.
func (h *collector) look(t *testing.T, key, trace string, c *fieldCheck) (any, int) {
	t.Helper()
	call := c.Call
	if c.Trace != "" {
		trace = c.Trace
	}
	switch {
	case c.Span != "":
		call = &fieldCall{Method: http.MethodGet, Path: "/v2/warehouse/spans/" + trace + "/" + c.Span}
	case c.Inputs != "":
		body := map[string]any{"trace_id": trace, "span_id": c.Of}
		if c.Config != nil {
			body["config"] = c.Config
		}
		call = &fieldCall{Path: "/v2/evaluators/" + c.Inputs + "/execute-span", Body: body}
	case c.Judged != "":
		call = &fieldCall{Method: http.MethodGet, Path: "/v2/warehouse/spans/" + trace + "/" + c.Of + "/evaluations"}
	}
	call.To = "api"
	status, raw := h.ask(t, key, call)
	var answer any
	if json.Unmarshal(raw, &answer) != nil {
		return string(raw), status
	}
	switch list, _ := dig(answer, []any{"evaluations"}).([]any); {
	case c.Inputs != "":
		return dig(answer, []any{"inputs"}), status
	case c.Judged != "":
		for _, e := range list {
			for _, name := range []string{"evaluator", "evaluator_type", "evaluator_name"} {
				if dig(e, []any{name}) == c.Judged {
					return e, status
				}
			}
		}
		return nil, status
	}
	return answer, status
}

// dig follows a path into an answer.
func dig(v any, path []any) any {
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[fmt.Sprint(step)]
		case []any:
			i, ok := step.(float64)
			if !ok || int(i) >= len(in) {
				return nil
			}
			v = in[int(i)]
		default:
			return nil
		}
	}
	return v
}

// holds reports whether what was got is what a check expects.
func (c *fieldCheck) holds(got any, status int) bool {
	if c.Status != 0 {
		if status != c.Status {
			return false
		}
	} else if status >= http.StatusMultipleChoices {
		return false
	}
	text, isText := got.(string)
	if !isText {
		raw, _ := json.Marshal(got)
		text = string(raw)
	}
	var want, have any
	switch {
	case c.Equals != nil:
		return json.Unmarshal(c.Equals, &want) == nil && reflect.DeepEqual(want, got)
	case c.JSON != nil:
		return json.Unmarshal(c.JSON, &want) == nil && json.Unmarshal([]byte(text), &have) == nil && reflect.DeepEqual(want, have)
	case c.Contains != nil:
		return got != nil && strings.Contains(text, *c.Contains)
	case c.Lacks != nil:
		return got != nil && !strings.Contains(text, *c.Lacks)
	case c.OneOf != nil:
		for _, one := range c.OneOf {
			if reflect.DeepEqual(one, got) {
				return true
			}
		}
		return false
	case c.Near != nil:
		n, err := strconv.ParseFloat(text, 64)
		return err == nil && math.Abs(n-c.Near[0]) <= c.Near[1]
	case c.Present:
		return got != nil && got != ""
	}
	return true
}
