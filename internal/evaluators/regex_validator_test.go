// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func verdictOf(t *testing.T, slug string, input, config any) bool {
	t.Helper()
	e, ok := Catalog().Get(slug)
	require.True(t, ok)
	var settings json.RawMessage
	if config != nil {
		settings = toJSON(t, config)
	}
	got, err := e.FromJSON(t.Context(), toJSON(t, input), settings)
	require.NoError(t, err)
	return got.Outputs[0].Value.(bool)
}

type object map[string]any

func TestRegexFlags(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text   string
		config object
		want   bool
	}{
		{"abc", object{"regex": "b"}, true},
		{"abc", object{"regex": "B"}, false},
		{"abc", object{"regex": "B", "case_sensitive": false}, true},
		{"abc", object{"regex": "b", "should_match": false}, false},
		{"abc", object{"regex": "x", "should_match": false}, true},
		{"a\nb", object{"regex": "a.b"}, false},
		{"a\nb", object{"regex": "a.b", "dot_include_nl": true}, true},
		{"a\nb", object{"regex": "^b$"}, false},
		{"a\nb", object{"regex": "^b$", "multi_line": true}, true},
		{"", object{"regex": "^$"}, true},
		{"", object{"regex": "a", "should_match": false}, true},
	} {
		for range 2 { // the second is from the cache
			require.Equal(t, row.want, verdictOf(t, "regex-validator", object{"text": row.text}, row.config), "%v", row)
		}
	}
}

func TestSlowRegexesAreNoVerdict(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("regex-validator")
	text := strings.Repeat("a", 40) + "!"
	for _, expression := range []string{`(a+)+$`, `(a|aa)+$`, `(.*a){20}b`} {
		config := toJSON(t, object{"regex": expression, "should_match": false})
		refuses(t, e, object{"text": text}, config, fault.Invalid, "config.regex took too long to match")
		_, err := fromSpan(t.Context(), e, parts{"output": text}, config)
		require.True(t, fault.Is(err, fault.Invalid))
		require.NotContains(t, err.Error(), text)
	}
	// Many steps back over a long text are no more than a refusal either.
	config := toJSON(t, object{"regex": `(?:(a)|b)*c`})
	got, err := fromSpan(t.Context(), e, parts{"output": strings.Repeat("ab", eval.MaxText/2)}, config)
	checkOutcome(t, e, got, err)
}

func TestRegexConfigsAreChecked(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("regex-validator")
	for config, want := range map[string]string{
		``:               "config.regex is required",
		`{}`:             "config.regex is required",
		`{"regex": ""}`:  "config.regex must not be empty",
		`{"regex": "("}`: "config.regex is not a valid regular expression",
	} {
		require.ErrorContains(t, e.CheckConfig(json.RawMessage(config)), want)
		refuses(t, e, object{"text": "a"}, json.RawMessage(config), fault.Invalid, want)
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		input, config object
		want          bool
	}{
		{object{"placeholder_name": "name", "placeholder_value": "Hello ${name}", "text": "Hello John Doe"}, nil, true},
		{object{"placeholder_name": "name", "placeholder_value": "Hello {{name}}!", "text": "Hello John Doe"}, nil, false},
		{object{"placeholder_value": `^[^@\s]+@[^@\s]+$`, "text": "user@example.com"}, nil, true},
		{object{"placeholder_name": "username", "placeholder_value": "x", "text": "user_1"}, object{"regex": "^user_.*"}, true},
		{object{"placeholder_name": "n", "placeholder_value": "a|b", "text": "xb"}, object{"regex": "^x{n}$"}, true},
		{object{"placeholder_name": "n", "placeholder_value": "a|b", "text": "xb"}, object{"regex": "^x{{n}}$"}, true},
		{object{"placeholder_name": "n", "placeholder_value": "a|b", "text": "xb"}, object{"regex": "^x${n}$"}, true},
		{object{"placeholder_name": "n", "placeholder_value": "a|b", "text": "xb"}, object{"regex": "^x${n}$", "escape_value": true}, false},
		{object{"placeholder_name": "n", "placeholder_value": "a|b", "text": "xa|b"}, object{"regex": "^x${n}$", "escape_value": true}, true},
		{object{"placeholder_name": "", "placeholder_value": "7", "text": "a7"}, object{"regex": "^a{placeholder}$"}, true},
		{object{"placeholder_value": "{placeholder}", "text": "{placeholder}"}, object{"regex": "{placeholder}", "escape_value": true}, true},
		{object{"placeholder_value": "1.5 ${placeholder} (net)", "text": "1.5 EUR (net)"}, object{"escape_value": true}, true},
		{object{"placeholder_value": "1.5 ${placeholder} (net)", "text": "1x5 EUR (net)"}, object{"escape_value": true}, false},
		{object{"placeholder_value": "B", "text": "abc"}, object{"case_sensitive": false}, true},
		{object{"placeholder_value": "b", "text": "abc"}, object{"should_match": false}, false},
	} {
		var config any
		if row.config != nil {
			config = row.config
		}
		require.Equal(t, row.want, verdictOf(t, "placeholder-regex", row.input, config), "%v", row)
	}
	e, _ := Catalog().Get("placeholder-regex")
	refuses(t, e, object{"placeholder_value": "(", "text": "a"}, nil, fault.Invalid, "input.placeholder_value is not a valid regular expression")
	refuses(t, e, object{"placeholder_value": "(", "text": "a"}, json.RawMessage(`{"regex": "{placeholder}"}`), fault.Invalid, "config.regex is not a valid regular expression")
}
