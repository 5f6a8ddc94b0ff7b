// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

var update = flag.Bool("update", false, "write the OpenAPI document")

// document returns the OpenAPI document without the operations of evaluators.
func document(t testing.TB) []byte {
	t.Helper()
	text, err := newDocument(routesOf(t), &eval.Catalog{})
	require.NoError(t, err)
	var written bytes.Buffer
	require.NoError(t, json.Indent(&written, text, "", "  "))
	written.WriteByte('\n')
	return written.Bytes()
}

func TestDocumentIsTheOneThatIsKept(t *testing.T) {
	t.Parallel()
	made := document(t)
	if *update {
		require.NoError(t, os.WriteFile("openapi.json", made, 0o600))
	}
	kept, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.True(t, bytes.Equal(kept, made), "openapi.json is stale: go test ./extension/apiextension -run TestDocument -update")
}

// TestDocumentAsksWhatItAsked compares the document that is made of operations with
// the one that was written by hand: all but texts, formats of integers and names of components.
func TestDocumentAsksWhatItAsked(t *testing.T) {
	t.Parallel()
	made := contractOf(t, document(t))
	const path = "testdata/contract.json"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	was := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(text, &was))
	require.Equal(t, slices.Sorted(maps.Keys(was)), slices.Sorted(maps.Keys(made)))
	for name, want := range was {
		require.JSONEq(t, string(want), string(made[name]), name)
	}
}

// contractOf returns what the operations of a document ask and promise, by method and path.
func contractOf(t *testing.T, text []byte) map[string]json.RawMessage {
	t.Helper()
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	all := map[string]json.RawMessage{}
	for path, methods := range document["paths"].(map[string]any) {
		shared, _ := methods.(map[string]any)["parameters"].([]any)
		for method, operation := range methods.(map[string]any) {
			if method == "parameters" {
				continue
			}
			o := plain(document, operation, "").(map[string]any)
			delete(o, "operationId")
			delete(o, "tags")
			delete(o, "summary")
			own, _ := o["parameters"].([]any)
			for _, p := range shared {
				own = append(own, plain(document, p, ""))
			}
			slices.SortFunc(own, func(a, b any) int { return cmp.Compare(parameterName(a), parameterName(b)) })
			if own != nil {
				o["parameters"] = own
			}
			written, err := json.Marshal(o)
			require.NoError(t, err)
			all[strings.ToUpper(method)+" "+path] = written
		}
	}
	return all
}

func parameterName(p any) string {
	m := p.(map[string]any)
	return fmt.Sprint(m["in"], " ", m["name"])
}

// plain returns a part of a document with what it refers to in its place, lists of
// names in order, and without texts. within is the member that it is.
func plain(document map[string]any, v any, within string) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, is := v["$ref"].(string); is {
			var at any = document
			for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				at = at.(map[string]any)[name]
			}
			whole := maps.Clone(at.(map[string]any))
			for name, value := range v {
				if name != "$ref" {
					whole[name] = value
				}
			}
			return plain(document, whole, within)
		}
		o := map[string]any{}
		for name, value := range v {
			text := within != "properties" && slices.Contains([]string{"description", "title", "example", "examples", "default"}, name)
			format, _ := value.(string)
			if text || name == "format" && strings.HasPrefix(format, "int") {
				continue
			}
			o[name] = plain(document, value, name)
		}
		if len(o) == 1 && within != "properties" {
			for _, choice := range []string{"anyOf", "oneOf"} {
				if either, is := o[choice].([]any); is {
					return orNull(either)
				}
			}
		}
		if within != "properties" {
			maps.DeleteFunc(o, allowsAll)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(document, v[i], "")
		}
		if slices.Contains([]string{"required", "enum", "type"}, within) {
			slices.SortFunc(list, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return list
	}
	return v
}

// allowsAll says whether a member of a schema allows what its absence allows, too.
func allowsAll(name string, value any) bool {
	schema, isSchema := value.(map[string]any)
	list, isList := value.([]any)
	switch name {
	case "required":
		return value == false || isList && len(list) == 0
	case "items", "additionalProperties":
		return value == true || isSchema && len(schema) == 0
	}
	return false
}

// orNull returns a choice between schemas; between an object and null, it is an
// object that may be null.
func orNull(either []any) map[string]any {
	choice := map[string]any{"oneOf": either}
	if len(either) != 2 {
		return choice
	}
	o, null := either[0].(map[string]any), either[1].(map[string]any)
	if o["type"] != "object" || null["type"] != "null" {
		return choice
	}
	o = maps.Clone(o)
	o["type"] = []any{"null", "object"}
	return o
}
