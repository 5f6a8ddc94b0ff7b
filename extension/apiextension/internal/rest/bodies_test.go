// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

const setups = "/v2/auto-monitor-setups"

// small is a document with one body of every kind.
const small = `{"openapi":"3.1.0","paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},
"components":{"schemas":{
	"A":{"type":"object","required":["name"],"properties":{
		"name":{"type":"string","minLength":1,"maxLength":5},
		"code":{"type":"string","pattern":"^x+$","x-must-be":"one x or more"},
		"share":{"type":["number","null"],"exclusiveMinimum":0,"maximum":0.5},
		"count":{"type":"integer","minimum":1},
		"value":{"type":["string","number","boolean"]},
		"free":{"type":"object"},
		"list":{"type":"array","items":{"$ref":"#/components/schemas/B"},"minItems":1,"maxItems":3},
		"map":{"type":"object","additionalProperties":{"type":"string"},"maxProperties":2},
		"either":{"oneOf":[{"type":"string"},{"$ref":"#/components/schemas/B"}]}
	}},
	"B":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":["one","two",""]},"Sub":{"$ref":"#/components/schemas/C"}}},
	"C":{"type":"object","properties":{"on":{"type":"boolean"}}}
}}}`

func smallSchema(t testing.TB) *rest.Schema {
	t.Helper()
	bodies, err := rest.NewBodies([]byte(small))
	require.NoError(t, err)
	return bodies.Of(http.MethodPost, "/a")
}

func TestBodyIsRefusedNamingEachField(t *testing.T) {
	t.Parallel()
	schema := smallSchema(t)
	for text, want := range map[string]string{
		`{}`:                                 "name is required",
		`{"name":""}`:                        "name is required",
		`{"name":null}`:                      "name is required",
		`{"name":7}`:                         "name must be a string",
		`{"name":"éééééé"}`:                  "name must be at most 5 characters",
		`{"name":"a","code":"y"}`:            "code must be one x or more",
		`{"name":"a","code":7}`:              "code must be a string",
		`{"name":"a","share":0}`:             "share must be a number above 0 and at most 0.5",
		`{"name":"a","share":"1"}`:           "share must be a number above 0 and at most 0.5, got a string",
		`{"name":"a","share":1e-999}`:        "share must be a number above 0 and at most 0.5",
		`{"name":"a","share":1e999}`:         "share must be a number above 0 and at most 0.5",
		`{"name":"a","count":0.5}`:           "count must be a whole number of at least 1",
		`{"name":"a","value":[]}`:            "value must be a string, a number or a boolean",
		`{"name":"a","free":7}`:              "free must be a JSON object",
		`{"name":"a","list":[]}`:             "list must contain at least one item",
		`{"name":"a","list":[7,7,7,7,7]}`:    "list must have at most 3 items",
		`{"name":"a","list":[{"kind":"x"}]}`: "list[0].kind must be one of one, two",
		`{"name":"a","list":[{"kind":"one"},{"kind":"two","sub":{"ON":1}}]}`: "list[1].Sub.on must be a boolean",
		`{"name":"a","map":{"a b":7}}`:                                       "map.a b must be a string",
		`{"name":"a","map":{"a":null}}`:                                      "map.a must be a string",
		`{"name":"a","map":{"a":"","b":"","c":"","d":""}}`:                   "map must have at most 2 items",
		`{"name":"a","either":7}`:                                            "either must be something else",
		`{"name":"a","either":{}}`:                                           "either.kind is required",
		`{"list":[null],"count":"x","name":7}`:                               "count must be a whole number of at least 1, got a string; list[0] must be a JSON object; name must be a string",
		`{"name":"a","list":[{},{"kind":7}]}`:                                "list[0].kind is required; list[1].kind must be a string",
	} {
		body, err := schema.Check([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, fault.Invalid, fault.KindOf(body.Err()), text)
		require.Equal(t, want, fault.Message(body.Err()), text)
		require.Error(t, body.Into(&struct{}{}))
	}
}

func TestBodyIsReadAsItWasChecked(t *testing.T) {
	t.Parallel()
	schema := smallSchema(t)
	for text, want := range map[string]string{
		`{"NAME":"a","Other":null,"LIST":[{"KIND":"one","x":1}]}`: `{"Other":null,"list":[{"kind":"one","x":1}],"name":"a"}`,
		`{"name":"a","Name":7}`:                                   `{"name":"a"}`,
		`{"name":7,"name":"a"}`:                                   `{"name":"a"}`,
		`{"name":"a","count":null,"share":null}`:                  `{"name":"a","share":null}`,
		`{"name":"a","value":1e999}`:                              `{"name":"a","value":"1e999"}`,
		`{"name":"a","value":1.50}`:                               `{"name":"a","value":1.50}`,
		`{"name":"a","free":{"A":null,"b":12345678901234567890.50,"c":1e999,"d":"<\u0000\ud800"}}`: `{"free":{"A":null,"b":12345678901234567890.50,"c":1e999,"d":"<\u0000` + "\uFFFD" + `"},"name":"a"}`,
		// What is named twice is not put together of both.
		`{"name":"a","list":[{"kind":"one","Sub":{"on":true}}],"list":[{"kind":"two"}]}`: `{"list":[{"kind":"two"}],"name":"a"}`,
	} {
		body, err := schema.Check([]byte(text))
		require.NoError(t, err, text)
		var got json.RawMessage
		require.NoError(t, body.Into(&got), text)
		require.Equal(t, want, strings.TrimSpace(string(got)), text)
	}
}

func TestElementsOfABodyStandForThemselves(t *testing.T) {
	t.Parallel()
	schema := smallSchema(t)
	body, err := schema.Check([]byte(`{"name":7,"list":[{"kind":7},{"kind":"one"},8]}`))
	require.NoError(t, err)
	items := body.Items("list")
	require.Len(t, items, 3)
	require.Equal(t, "kind must be a string", fault.Message(items[0].Err()))
	require.NoError(t, items[1].Err())
	require.NoError(t, items[2].Err())
	require.Equal(t, "list[2] must be a JSON object; name must be a string", fault.Message(body.Err()), "an element that is none is the list's")

	body, err = schema.Check([]byte(`{"name":"a","count":"x","share":9}`))
	require.NoError(t, err)
	require.NoError(t, body.Members("name").Err())
	require.Equal(t, "count must be a whole number of at least 1, got a string", fault.Message(body.Members("name", "count").Err()))
}

func TestWhatIsToldOfABodyIsBounded(t *testing.T) {
	t.Parallel()
	schema := resttest.Bodies(t).Of(http.MethodPost, setups)
	rules := strings.TrimSuffix(strings.Repeat(`{"key":1,"source":"x"},`, 50), ",")
	body, err := schema.Check([]byte(`{"external_id":"m","evaluators":["a"],"selector":[` + rules + `]}`))
	require.NoError(t, err)
	message := fault.Message(body.Err())
	require.True(t, strings.HasPrefix(message, "selector[0].key must be a string; selector[0].source must be one of span_attributes, resource_attributes; selector[1].key"), message)
	require.True(t, strings.HasSuffix(message, "; and 90 more"), message)
	require.Less(t, len(message), 1000)
}

// repeat lists an item n times; "#" in it is the number of the item.
func repeat(n int, item string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(item, "#", strconv.Itoa(i))
	}
	return strings.Join(list, ",")
}

// Large bodies, made so that a checker that looks
// at everything would look long. No other test runs at the same time, because its allocations would count.
func TestHostileBodiesAreCheckedInBounds(t *testing.T) {
	const size = 1 << 20
	fill := func(item string) string {
		return strings.TrimSuffix(strings.Repeat(item+",", size/(len(item)+1)), ",")
	}
	members := func() string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, `"%d":70000,`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}()
	bodies := resttest.Bodies(t)
	for name, x := range map[string]struct{ method, path, body string }{
		"evaluators":    {"POST", setups, `{"evaluators":[` + fill("70000000000") + `]}`},
		"rules":         {"POST", setups, `{"selector":[` + fill(`{"a":70000000000000000}`) + `]}`},
		"map of rules":  {"POST", setups, `{"selector":{` + members + `}}`},
		"values":        {"POST", setups, `{"selector":[{"values":[` + fill(`{"a":70000000000000000}`) + `]}]}`},
		"configs":       {"POST", setups, `{"evaluator_configs":{` + members + `}}`},
		"inputs":        {"POST", setups, `{"evaluators":[{"input_mapping":{` + members + `}}]}`},
		"huge number":   {"POST", setups, `{"min_spans":` + strings.Repeat("9", size) + `}`},
		"exponents":     {"POST", setups, `{"selector":[{"values":[` + fill("1e99999999") + `]}]}`},
		"small numbers": {"POST", setups, `{"max_cost_per_day":0.` + strings.Repeat("0", size) + `1}`},
		"deep":          {"POST", setups, `{"evaluators":[{"slug":"x","config":` + strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60) + `}]}`},
		"bulk":          {"POST", setups + "/bulk", `{"setups":[` + fill(`{"external_id":"a name that is somewhat longer, so that there are not too many values within it","evaluators":[7,7,7],"selector":[{},{}]}`) + `]}`},
		"bulk of inputs": {"POST", setups + "/bulk", `{"setups":[` + repeat(100, `{"evaluators":["a"],"evaluator_configs":{`+
			repeat(3, `"e#":{"input_mapping":{`+repeat(50, `"i#":{"source":1,"key":2,"regex":3}`)+`}}`)+`}}`) + `]}`},
		"mapping":      {"POST", "/v2/evaluators/{slug}/executions", `{"input_schema_mapping":{` + members + `}}`},
		"messages":     {"POST", "/v2/evaluators", `{"messages":[` + fill("7000000000000000000000000") + `],"input_schema":[` + fill(`{"a":"a text that is somewhat longer than others"}`) + `]}`},
		"enums":        {"POST", "/v2/evaluators", `{"output_schema":[{"enum_values":[` + fill("70000000000") + `]}]}`},
		"environments": {"POST", "/v2/organizations", `{"envs":[` + fill("70000000000") + `]}`},
		"members":      {"POST", "/v2/organizations", `{` + members + `}`},
	} {
		schema := bodies.Of(x.method, x.path)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		body, err := schema.Check([]byte(x.body))
		require.NoError(t, err, name)
		if err := body.Err(); name != "deep" {
			require.Equal(t, fault.Invalid, fault.KindOf(err), name)
			require.Less(t, len(fault.Message(err)), 10_000, name)
		}
		runtime.ReadMemStats(&after)
		t.Logf("%-14s %7.0f ms %5d MiB", name, time.Since(began).Seconds()*1000, (after.TotalAlloc-before.TotalAlloc)>>20)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(150), name)
	}
}

func TestDocumentThatCannotBeCompiled(t *testing.T) {
	t.Parallel()
	_, err := rest.NewBodies([]byte("{"))
	require.Error(t, err)
	_, err = rest.NewBodies([]byte(strings.Replace(small, `"minLength":1`, `"minLength":"x"`, 1)))
	require.ErrorContains(t, err, "POST /a")
	_, err = rest.NewBodies([]byte(strings.Replace(small, "schemas/C", "schemas/D", 1)))
	require.Error(t, err)
}

func FuzzCheck(f *testing.F) {
	f.Add(`{"name":"a","list":[{"kind":"one"}]}`)
	f.Add(`{"NAME":null,"map":{"\u0000":1},"share":1e-999,"either":{"kind":7}}`)
	schema := smallSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		body, err := schema.Check([]byte(text))
		if err != nil {
			return
		}
		var got struct {
			Name  string                     `json:"name"`
			Code  string                     `json:"code"`
			Share rest.Optional[float64]     `json:"share"`
			Count rest.Int                   `json:"count"`
			Value rest.Text                  `json:"value"`
			Free  map[string]json.RawMessage `json:"free"`
			List  []struct {
				Kind string
				Sub  struct{ On bool }
			} `json:"list"`
			Map map[string]string `json:"map"`
		}
		if err := body.Into(&got); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
			return
		}
		require.NotEmpty(t, got.Name)
		require.LessOrEqual(t, len(got.List), 3)
		require.LessOrEqual(t, got.Share.Value, 0.5)
	})
}

func BenchmarkCheckSetup(b *testing.B) {
	schema := resttest.Bodies(b).Of(http.MethodPost, setups)
	text := []byte(`{"external_id":"m","evaluators":["char-count",{"evaluator_type":"pii-detector","sample_rate":0.5}],
		"selector":[{"key":"gen_ai.system","source":"span_attributes","operator":"in","values":["a","b"]}],"max_cost_per_day":1.5}`)
	for b.Loop() {
		body, err := schema.Check(text)
		if err != nil || body.Err() != nil {
			b.Fatal(err, body.Err())
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		resttest.Bodies(b)
	}
}
