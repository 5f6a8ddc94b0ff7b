// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"

	"github.com/dlclark/regexp2/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type placeholderRegexInput struct {
	Name  string `json:"placeholder_name" doc:"The name of the placeholder, \"placeholder\" when left out or empty." span:"attribute:placeholder_name"`
	Value string `json:"placeholder_value" doc:"What the placeholder stands for, or the expression itself when config.regex is left out." need:"required" span:"attribute:placeholder_value" whole:"true"`
	Text  string `json:"text" doc:"The text that is searched." need:"required" span:"output" whole:"true"`
}

type placeholderRegexConfig struct {
	Regex         string `json:"regex" doc:"An expression that holds the placeholder as ${name}, {{name}} or {name}."`
	EscapeValue   bool   `json:"escape_value" doc:"The value is plain text and no expression."`
	ShouldMatch   bool   `json:"should_match" doc:"Whether the expression should be found in the text, or should not."`
	CaseSensitive bool   `json:"case_sensitive" doc:"Upper and lower case differ."`
	DotIncludesNL bool   `json:"dot_include_nl" doc:"A dot stands for a newline too."`
	MultiLine     bool   `json:"multi_line" doc:"^ and $ stand for the beginning and the end of every line."`
}

type placeholderRegexOutput struct {
	Valid bool `json:"is_valid_regex" doc:"Whether the rule holds: the expression is found as it should be, or is not found as it should not."`
	eval.Judged
}

var _ = define(placeholderRegex(pytext.NewRegexes()))

func placeholderRegex(known *pytext.Regexes) eval.Definition[placeholderRegexInput, placeholderRegexConfig, placeholderRegexOutput] {
	return eval.Definition[placeholderRegexInput, placeholderRegexConfig, placeholderRegexOutput]{
		Slug: "placeholder-regex",
		Doc: "Searches a text for a regular expression with a placeholder. With `config.regex`, the value takes the place of the placeholder in it. " +
			"Without, the value is the expression, and the placeholder in it, written `${name}` or `{{name}}`, stands for any text. " +
			"Expressions are Python's; one that takes longer than 100 ms is refused and never a verdict.",
		Defaults: placeholderRegexConfig{ShouldMatch: true, CaseSensitive: true},
		Run: func(_ context.Context, in placeholderRegexInput, cfg placeholderRegexConfig) (placeholderRegexOutput, error) {
			field, expression := placeholderExpression(in, cfg)
			if expression == "" {
				return placeholderRegexOutput{}, fault.New(fault.Invalid, "input.placeholder_value must not be empty without config.regex")
			}
			flags := pytext.Flags{CaseSensitive: cfg.CaseSensitive, DotIncludesNewline: cfg.DotIncludesNL, MultiLine: cfg.MultiLine}
			valid, judged, err := matches(known, field, expression, flags, in.Text, cfg.ShouldMatch)
			return placeholderRegexOutput{valid, judged}, err
		},
		Examples: []eval.Example{
			{About: "the value is a template", Input: `{"placeholder_name": "name", "placeholder_value": "Hello ${name}", "text": "Hello John Doe"}`, Want: `{"is_valid_regex": true}`},
			{About: "the value is an expression", Input: `{"placeholder_value": "^[^@\\s]+@[^@\\s]+$", "text": "user@example.com"}`, Want: `{"is_valid_regex": true}`},
			{About: "the value goes into the expression", Input: `{"placeholder_name": "user", "placeholder_value": "user_\\d+", "text": "id: user_42"}`, Config: `{"regex": "^id: {user}$"}`, Want: `{"is_valid_regex": true}`},
			{About: "the value is plain text", Input: `{"placeholder_value": "1+1", "text": "1+1=2"}`, Config: `{"regex": "^${placeholder}=", "escape_value": true}`, Want: `{"is_valid_regex": true}`},
			{About: "nothing to search for", Input: `{"placeholder_value": "", "text": "a"}`, Refused: "input.placeholder_value must not be empty without config.regex"},
		},
	}
}

// placeholderExpression returns the expression to search for, and the field that
// a refusal of it names.
func placeholderExpression(in placeholderRegexInput, cfg placeholderRegexConfig) (field, expression string) {
	name := in.Name
	if name == "" {
		name = "placeholder"
	}
	if cfg.Regex != "" {
		value := in.Value
		if cfg.EscapeValue {
			value = regexp2.Escape(value)
		}
		value = "(?:" + value + ")"
		// The longer spellings come first: the shorter one is part of them.
		into := strings.NewReplacer("${"+name+"}", value, "{{"+name+"}}", value, "{"+name+"}", value)
		return "config.regex", into.Replace(cfg.Regex)
	}
	// Both spellings of the placeholder become one, and the pieces between are
	// what is searched for.
	mark := "${" + name + "}"
	pieces := strings.Split(strings.ReplaceAll(in.Value, "{{"+name+"}}", mark), mark)
	if cfg.EscapeValue {
		for i := range pieces {
			pieces[i] = regexp2.Escape(pieces[i])
		}
	}
	return "input.placeholder_value", strings.Join(pieces, ".+?")
}
