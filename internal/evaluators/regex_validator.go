// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type regexValidatorInput struct {
	Text string `json:"text" doc:"The text that is searched." need:"required" span:"output" whole:"true"`
}

type regexValidatorConfig struct {
	Regex         string `json:"regex" doc:"The expression, as Python's re reads it, of up to 16384 bytes." need:"required"`
	ShouldMatch   bool   `json:"should_match" doc:"Whether the expression should be found in the text, or should not."`
	CaseSensitive bool   `json:"case_sensitive" doc:"Upper and lower case differ."`
	DotIncludesNL bool   `json:"dot_include_nl" doc:"A dot stands for a newline too."`
	MultiLine     bool   `json:"multi_line" doc:"^ and $ stand for the beginning and the end of every line."`
}

type regexValidatorOutput struct {
	Valid bool `json:"is_valid_regex" doc:"Whether the rule holds: the expression is found as it should be, or is not found as it should not."`
}

var _ = define(regexValidator(pytext.NewRegexes()))

func regexValidator(known *pytext.Regexes) eval.Definition[regexValidatorInput, regexValidatorConfig, regexValidatorOutput] {
	return eval.Definition[regexValidatorInput, regexValidatorConfig, regexValidatorOutput]{
		Slug: "regex-validator",
		Doc: "Searches a text for a regular expression. The expression may begin anywhere in the text: anchors are for the caller to write. " +
			"Expressions are Python's; one that takes longer than 100 ms is refused and never a verdict.",
		Defaults: regexValidatorConfig{ShouldMatch: true, CaseSensitive: true},
		Check: func(cfg regexValidatorConfig) error {
			if cfg.Regex == "" {
				return errEmptyRegex
			}
			_, err := known.Get("config.regex", cfg.Regex, cfg.flags())
			return err
		},
		Run: func(_ context.Context, in regexValidatorInput, cfg regexValidatorConfig) (regexValidatorOutput, error) {
			if cfg.Regex == "" {
				return regexValidatorOutput{}, errEmptyRegex
			}
			found, err := known.Found("config.regex", cfg.Regex, cfg.flags(), in.Text)
			return regexValidatorOutput{Valid: found == cfg.ShouldMatch}, err
		},
		Examples: []eval.Example{
			{About: "a text that has an order number", Input: `{"text": "Your order AB-1234 is on its way."}`, Config: `{"regex": "\\b[A-Z]{2}-\\d{4}\\b"}`, Want: `{"is_valid_regex": true}`},
			{About: "a text that must not promise", Input: `{"text": "We GUARANTEE it."}`, Config: `{"regex": "guarantee", "should_match": false, "case_sensitive": false}`, Want: `{"is_valid_regex": false}`},
			{About: "a broken expression", Input: `{"text": "a"}`, Config: `{"regex": "(a"}`, Refused: "config.regex is not a valid regular expression: missing closing )"},
			{About: "no expression", Input: `{"text": "a"}`, Refused: "config.regex is required"},
		},
	}
}

var errEmptyRegex = fault.New(fault.Invalid, "config.regex must not be empty")

func (c regexValidatorConfig) flags() pytext.Flags {
	return pytext.Flags{CaseSensitive: c.CaseSensitive, DotIncludesNewline: c.DotIncludesNL, MultiLine: c.MultiLine}
}
