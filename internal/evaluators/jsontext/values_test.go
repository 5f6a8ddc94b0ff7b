// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestValuesAreCompared(t *testing.T) {
	t.Parallel()
	known := NewSchemas()
	for schema, texts := range map[string]map[string]bool{
		`{"const":1}`:                 {`1`: true, `1.0`: true, `10e-1`: true, `"1"`: false, `true`: false, `[1]`: false},
		`{"const":null}`:              {`null`: true, `0`: false, `{}`: false},
		`{"const":{"a":[1,{"b":2}]}}`: {`{"a":[1.0,{"b":2}]}`: true, `{"a":[1,{"b":2,"c":3}]}`: false, `{"a":[1,{"c":2}]}`: false, `{"a":{}}`: false, `1`: false},
		`{"enum":[1,"a",[1,2],{"a":1},null,true]}`: {
			`1e0`: true, `"a"`: true, `[1,2.0]`: true, `[2,1]`: false, `{"a":1}`: true, `{"a":2}`: false, `null`: true, `true`: true, `false`: false, `"1"`: false, `"null"`: false,
		},
		`{"type":"integer"}`:         {`1.0`: true, `1.5`: false, `1e2`: true, `"1"`: false},
		`{"type":["number","null"]}`: {`1.5`: true, `null`: true, `false`: false, `{}`: false, `[]`: false},
		`{"type":"boolean"}`:         {`true`: true, `1`: false},
		`{"type":"object"}`:          {`{}`: true, `[]`: false},
		`{"type":"array"}`:           {`[]`: true, `{}`: false},
		`{"uniqueItems":true}`:       {`[1,2,"1"]`: true, `[1,1.0]`: false, `[{"a":1,"b":2},{"b":2,"a":1}]`: false, `[[1,2],[12]]`: true, `["a,","a"]`: true, `{}`: true, `[null,"null"]`: true},
		`{"not":{"enum":[1]}}`:       {`1`: false, `2`: true},
		`true`:                       {`1`: true},
		`false`:                      {`1`: false},
		`{"contains":false}`:         {`[1]`: false, `1`: true},
		`{"unevaluatedItems":false}`: {`[]`: true, `[1]`: false},
		`{"$id":"http://a/","$ref":"#/$defs/b","$defs":{"b":{"type":"null"}}}`:                                                                     {`null`: true, `1`: false},
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"type":["array","null"],"items":{"$recursiveRef":"#"}}`: {`[[null]]`: true, `[[1]]`: false},
		`{"$dynamicAnchor":"x","type":["array","null"],"items":{"$dynamicRef":"#x"}}`:                                                              {`[[null]]`: true, `[[1]]`: false},
		`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"enum":["b"]}},"additionalProperties":false}`:                     {`{"a":"b"}`: true, `{"a":"c"}`: false, `{"b":1}`: false},
	} {
		for text, want := range texts {
			got, err := known.Satisfied(schema, text)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s %s", schema, text)
		}
	}
}

// slow are schemas and texts that ask for much more work than there is time for.
func slow() [][2]string {
	numbers := func(n int, number string) string { return "[" + strings.Repeat(number+",", n-1) + number + "]" }
	var different, lists strings.Builder
	for i := range 25_000 {
		fmt.Fprintf(&different, ",%d", -i)
	}
	for i := range 20 {
		fmt.Fprintf(&lists, ",[%s%d]", strings.Repeat("1,", 25_000), i)
	}
	enum := `{"enum":[` + different.String()[1:] + `]}`
	nested := `{"enum":[[1` + strings.ReplaceAll(different.String()[:80_000], ",", "],[1,") + `]]}`
	deep := strings.Repeat("[", 900) + strings.Repeat("0,", 400_000) + "0" + strings.Repeat("]", 900)
	return [][2]string{
		{`{"not":{"contains":` + enum + `}}`, numbers(130_000, "1")},
		{`{"not":{"items":` + enum + `}}`, numbers(130_000, "1")},
		{`{"contains":` + nested + `}`, numbers(130_000, "[2,1]")},
		{`{"contains":{"enum":[` + strings.Repeat("-1,", 15_000) + `-1]}}`, numbers(500_000, "1")},
		{`{"contains":{"const":` + numbers(50_000, "1.0") + `}}`, "[" + lists.String()[1:] + "]"},
		{`{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 1400) + `true]}`, "[" + lists.String()[1:] + "]"},
		{`{"items":{"$ref":"#"},"contains":false}`, deep},
		{`{"items":{"$ref":"#"},"type":"array"}`, deep},
		{`{"allOf":[` + strings.Repeat(`{"contains":{"type":"integer","multipleOf":7e-500}},`, 1000) + `true]}`, numbers(150_000, "1e512")},
		{`{"items":{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 2900) + `{"type":"null"}]}}`, numbers(400_000, "1")},
		{`{"contains":{"required":[` + strings.ReplaceAll(different.String(), ",", `","`)[2:] + `"]}}`, numbers(300_000, "{}")},
		{`{"properties":{"a":{"type":"null"}},"unevaluatedItems":{"type":"null"},"anyOf":[` + strings.Repeat(`{"$ref":"#/properties/a"},`, 2900) + `true]}`, numbers(400_000, "1")},
	}
}

// requireBounded holds that a validation ends. Its own end is after a tenth of a second.
func requireBounded(t *testing.T, known *Schemas, schema, text string) {
	t.Helper()
	begin := time.Now()
	_, _ = known.Satisfied(schema, text)
	require.Less(t, time.Since(begin), 10*time.Second, "%.60s %.60s", schema, text)
}

func TestNoSchemaTakesLong(t *testing.T) {
	t.Parallel()
	known := NewSchemas()
	for _, s := range slow() {
		begin := time.Now()
		_, err := known.Satisfied(s[0], s[1])
		t.Logf("%v %v %.60s", time.Since(begin).Round(time.Millisecond), err, s[0])
		require.Less(t, time.Since(begin), 30*time.Second)
		if err != nil {
			require.ErrorContains(t, err, "took too long")
		}
	}
}

func FuzzJSONSchema(f *testing.F) {
	known := NewSchemas()
	for _, s := range slow() {
		if len(s[0]) < 2000 {
			f.Add(s[0], "[0]", uint16(1000))
		}
	}
	f.Add(`{"items":{"enum":[1,2,"a"]},"uniqueItems":true}`, `[1,{"a":[2]}]`, uint16(1))
	f.Add(`{"pattern":"(a+)+$","patternProperties":{"^a":{"minLength":2}}}`, `{"a":"b"}`, uint16(2))
	f.Add(`{"$dynamicRef":"#x","$defs":{"a":{"$dynamicAnchor":"x","if":{"type":"null"},"then":false}}}`, `null`, uint16(2))
	f.Fuzz(func(t *testing.T, schema, text string, times uint16) {
		requireBounded(t, known, schema, text)
		elements := strings.Repeat(text+",", min(int(times), 1<<20/(len(text)+1)))
		requireBounded(t, known, schema, "["+strings.TrimSuffix(elements, ",")+"]")
	})
}
