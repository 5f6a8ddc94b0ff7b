// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func validator(t *testing.T) *eval.Evaluator {
	t.Helper()
	e, ok := Catalog().Get("json-validator")
	require.True(t, ok)
	return e
}

// withSchema is a config that turns validation on.
func withSchema(t *testing.T, schema any) json.RawMessage {
	t.Helper()
	return toJSON(t, map[string]any{"enable_schema_validation": true, "schema_string": schema})
}

func isValid(t *testing.T, text string, config json.RawMessage) bool {
	t.Helper()
	got, err := validator(t).FromJSON(t.Context(), toJSON(t, map[string]string{"text": text}), config)
	require.NoError(t, err)
	return got.Outputs[0].Value.(bool)
}

func TestJSONSyntax(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "  1 ": true, "null": true, `"a"`: true, "[]": true, `{"a":1,"a":2}`: true,
		"[1,]": false, "{'a':1}": false, "\ufeff{}": false, "\"a\tb\"": false, "{} x": false, "{}{}": false,
		"NaN": false, "[Infinity]": false, "-Infinity": false, "01": false, "```json\n{}\n```": false,
		"1e9999999": true, "\x00": false, `"\ud800"`: true,
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000): true,
	} {
		require.Equal(t, want, isValid(t, text, nil), "%.40q", text)
		require.Equal(t, want, isValid(t, text, json.RawMessage(`{"enable_schema_validation": true, "schema_string": " "}`)), "%.40q", text)
		require.Equal(t, want, isValid(t, text, json.RawMessage(`{"schema_string": "no schema, and not used"}`)), "%.40q", text)
	}
}

func TestJSONInACodeFence(t *testing.T) {
	t.Parallel()
	allowed := json.RawMessage(`{"allow_code_fence": true}`)
	for text, want := range map[string]bool{
		"{}": true, "```json\n{}\n```": true, "\n```\n[1]\n  ```\n": true, "````JSON5 x\r\n{}\r\n````": true, "```\n\"```\"\n```": true,
		"```json\n{}\n": false, "```json {}```": false, "```json\n{}```": false, "``\n{}\n``": false, "```\n```": false, "```": false, "": false,
		"Here:\n```json\n{}\n```": false, "```json\n{}\n```\nThere.": false, "```\n{}\n```\n```\n{}\n```": false, "```a`\n{}\n```": false,
	} {
		require.Equal(t, want, isValid(t, text, allowed), "%q", text)
	}
	config := json.RawMessage(`{"allow_code_fence": true, "enable_schema_validation": true, "schema_string": "{\"required\": [\"a\"]}"}`)
	require.True(t, isValid(t, "```json\n{\"a\": 1}\n```", config))
	require.False(t, isValid(t, "```json\n{\"b\": 1}\n```", config))
}

func TestJSONSatisfiesASchema(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		schema, text string
		want         bool
	}{
		{`{"type":"object","required":["a"]}`, `{"a":1}`, true},
		{`{"type":"object","required":["a"]}`, `{"b":1}`, false},
		{`{"type":"object"}`, `{"a":`, false},
		{`true`, `1`, true},
		{`false`, `1`, false},
		{`{"type":"integer"}`, `1.0`, true},
		{`{"maximum":12345678901234567890}`, `12345678901234567891`, false},
		{`{"format":"email"}`, `"no address"`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`, `"no address"`, true},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","maximum":5,"exclusiveMaximum":true}`, `5`, false},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"x"`, false},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":7}`, false},
		{`{"pattern":"(?<=a)b"}`, `"ab"`, true},
		{`{"pattern":"(?<=a)b"}`, `"cb"`, false},
		{`{"pattern":"^\\p{L}+$"}`, `"né"`, true},
		{`{"pattern":"^.$"}`, `"😀"`, true},
		{`{"pattern":"(?i)^yes$"}`, `"YES"`, true},
		{`{"patternProperties":{"^x-":{"type":"string"}}}`, `{"x-a":1}`, false},
		{`{"$id":"https://example.com/s","$ref":"#/$defs/a","$defs":{"a":{"const":1}}}`, `1`, true},
		{`{"$dynamicRef":"#n","$defs":{"n":{"$dynamicAnchor":"n","type":"object","additionalProperties":{"$dynamicRef":"#n"}}}}`, `{"a":{"b":1}}`, false},
	} {
		require.Equal(t, row.want, isValid(t, row.text, withSchema(t, row.schema)), "%s %s", row.schema, row.text)
		require.Equal(t, row.want, isValid(t, row.text, withSchema(t, row.schema)), "from the cache: %s", row.schema)
	}
	require.False(t, isValid(t, `1`, withSchema(t, map[string]any{"type": "string"})), "a schema that is no text")
}

func refusesSchema(t *testing.T, config json.RawMessage, about string) {
	t.Helper()
	refuses(t, validator(t), map[string]any{"text": "{}"}, config, fault.Invalid, about)
	err := validator(t).CheckConfig(config)
	require.True(t, fault.Is(err, fault.Invalid))
	require.Contains(t, fault.Message(err), about)
}

func TestSchemasThatAreNone(t *testing.T) {
	t.Parallel()
	for schema, about := range map[string]string{
		"{":                       "config.schema_string is not JSON",
		"{} {}":                   "config.schema_string is not JSON",
		"7":                       "config.schema_string is not a valid JSON Schema",
		`{"type":"text"}`:         "config.schema_string is not a valid JSON Schema",
		`{"pattern":"("}`:         "config.schema_string is not a valid JSON Schema",
		`{"$ref":"#/$defs/none"}`: "config.schema_string is not a valid JSON Schema",
		`{"$schema":"urn:none"}`:  "config.schema_string must not refer to other documents",
		`{"minimum":1e999999999}`: "config.schema_string has a number too large",
		`{"minimum":` + strings.Repeat("9", 200) + `}`:                                      "config.schema_string has a number too large",
		strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200):                    "config.schema_string is nested too deep",
		`{"allOf":[` + strings.Repeat("{},", 2000) + strings.Repeat("true,", 2000) + `{}]}`: "config.schema_string has more than 3000 schemas",
		`{"description":"` + strings.Repeat("a", 256<<10) + `"}`:                            "config.schema_string is over the limit",
		`{"$vocabulary":{"urn:x":true},"$schema":"https://example.com/meta","a":1}`:         "config.schema_string must not refer to other documents",
	} {
		refusesSchema(t, withSchema(t, schema), about)
	}
	require.NoError(t, validator(t).CheckConfig(withSchema(t, `{"type":"object"}`)))
}

func TestSchemasReadNoOtherDocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"object"}`), 0o600))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"type":"object"}`))
	}))
	defer server.Close()
	for _, address := range []string{"file://" + file, server.URL, file, "secret.json", "file:///no/such/file", "https://example.com/a.json"} {
		for _, keyword := range []string{"$ref", "$schema", "$dynamicRef"} {
			refusesSchema(t, withSchema(t, map[string]string{keyword: address}), "config.schema_string")
		}
		refusesSchema(t, withSchema(t, map[string]any{"$id": address, "$ref": "other.json"}), "config.schema_string")
	}
	require.Zero(t, asked.Load())
	_, err := validator(t).FromJSON(t.Context(), json.RawMessage(`{"text":"{}"}`), withSchema(t, map[string]string{"$ref": "file://" + file}))
	require.NotContains(t, fault.Message(err), file)
}

func TestHostileSchemasEndInTime(t *testing.T) {
	t.Parallel()
	// Each definition tries the next one twice: 2^40 attempts.
	var doubling strings.Builder
	doubling.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling.WriteString(`"d40":{"type":"string"}}}`)
	input := map[string]any{"text": "1"}
	refuses(t, validator(t), input, withSchema(t, doubling.String()), fault.Invalid, "config.schema_string took too long")

	slow := withSchema(t, `{"items":{"pattern":"^(a+)+$"}}`)
	input["text"] = `["` + strings.Repeat("a", 40) + `!"]`
	refuses(t, validator(t), input, slow, fault.Invalid, "config.schema_string took too long")
	require.True(t, isValid(t, `["aa"]`, slow), "the schema is of use afterwards")

	input["text"] = "[1e9999999]"
	refuses(t, validator(t), input, slow, fault.Invalid, "input.text has a number too large")
	input["text"] = strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	refuses(t, validator(t), input, slow, fault.Invalid, "input.text is nested too deep")
}

func TestSchemasAreSharedSafely(t *testing.T) {
	t.Parallel()
	config := withSchema(t, `{"properties":{"a":{"pattern":"^x+$"}}}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				want := i%2 == 0
				text := map[bool]string{true: `{"a":"xx"}`, false: `{"a":"y"}`}[want]
				got, err := fromSpan(t.Context(), validator(t), parts{"output": text}, config)
				for err != nil && strings.Contains(fault.Message(err), "took too long to validate against") { // on a busy machine
					got, err = fromSpan(t.Context(), validator(t), parts{"output": text}, config)
				}
				if err != nil || got.Outputs[0].Value != want {
					t.Errorf("%s: %v, %v", text, got, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestJSONIsNotCutOnSpans(t *testing.T) {
	t.Parallel()
	_, err := fromSpan(t.Context(), validator(t), parts{"output": `"` + strings.Repeat("a", eval.MaxText) + `"`}, nil)
	require.True(t, fault.Is(err, fault.TooLarge))
}

func FuzzJSONSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^x"}}}`, `{"a":"x"}`)
	f.Add(`{"$ref":"file:///etc/hostname"}`, `1`)
	f.Add(`{"uniqueItems":true,"multipleOf":0.1,"enum":[1e500]}`, `[1,1.0]`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		config := withSchema(t, schema)
		got, err := fromSpan(t.Context(), validator(t), parts{"output": text}, config)
		checkOutcome(t, validator(t), got, err)
		if err == nil && got.Outputs[0].Value == true {
			require.True(t, json.Valid([]byte(text)))
		}
	})
}

func BenchmarkJSONSchema(b *testing.B) {
	e, _ := Catalog().Get("json-validator")
	config := json.RawMessage(`{"enable_schema_validation":true,"schema_string":"{\"type\":\"object\",\"required\":[\"name\",\"age\"],\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":\"integer\",\"minimum\":0}}}"}`)
	span := eval.Source(parts{"output": `{"name":"Ada","age":36}`})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fromSpan(b.Context(), e, span, config); err != nil {
			b.Fatal(err)
		}
	}
}
