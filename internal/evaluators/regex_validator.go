// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"errors"
	"time"

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
	eval.Judged
}

var _ = define(regexValidator(pytext.NewRegexes()))

func regexValidator(known *pytext.Regexes) eval.Definition[regexValidatorInput, regexValidatorConfig, regexValidatorOutput] {
	return eval.Definition[regexValidatorInput, regexValidatorConfig, regexValidatorOutput]{
		Slug: "regex-validator",
		Doc: "Searches a text for a regular expression. The expression may begin anywhere in the text: anchors are for the caller to write. " +
			"Expressions are Python's; one that takes longer than 100 ms is refused and never a verdict. " +
			"Differences from Python: \\b counts combining marks as parts of words and signs such as ² as none. Without case, i does not match the Turkish İ and ı, and a reference to a group takes the two small sigmas for one letter. " +
			"\\B is found in an empty text. The flags a, L and t are refused. Some expressions that Python refuses are read as .NET does.",
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
			valid, judged, err := matches(known, "config.regex", cfg.Regex, cfg.flags(), in.Text, cfg.ShouldMatch)
			return regexValidatorOutput{valid, judged}, err
		},
		Places: func(cfg regexValidatorConfig) (eval.Finder, error) {
			if cfg.ShouldMatch {
				return nil, fault.New(fault.Invalid, "config.should_match must be false where what the expression finds speaks against a text")
			}
			find, err := known.Finder("config.regex", cfg.Regex, cfg.flags(), regexPlacesTime)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, text string) (places []eval.Place, err error) {
				err = find(text, func(start, end int) bool {
					places = append(places, eval.Place{Kind: "REGEX", Start: start, End: end})
					return ctx.Err() == nil
				})
				return places, errors.Join(err, ctx.Err())
			}, nil
		},
		Examples: []eval.Example{
			{About: "a text that has an order number", Input: `{"text": "Your order AB-1234 is on its way."}`, Config: `{"regex": "\\b[A-Z]{2}-\\d{4}\\b"}`, Want: `{"is_valid_regex": true}`},
			{About: "a text that must not promise", Input: `{"text": "We GUARANTEE it."}`, Config: `{"regex": "guarantee", "should_match": false, "case_sensitive": false}`, Want: `{"is_valid_regex": false}`},
			{About: "a broken expression", Input: `{"text": "a"}`, Config: `{"regex": "(a"}`, Refused: "config.regex is not a valid regular expression: missing closing )"},
			{About: "no expression", Input: `{"text": "a"}`, Refused: "config.regex is required"},
		},
	}
}

// regexPlacesTime is how long the search for one place may take. The caller that asks for places
// bounds the time for all of them. A slow search loses no verdict, only the places that it
// would have found.
const regexPlacesTime = time.Second

var errEmptyRegex = fault.New(fault.Invalid, "config.regex must not be empty")

// matches reports whether an expression is found in a text as it should be, or not as it
// should not, and why.
func matches(known *pytext.Regexes, field, expression string, flags pytext.Flags, text string, should bool) (valid bool, why eval.Judged, err error) {
	found, err := known.Found(field, expression, flags, text)
	switch {
	case err != nil:
		return false, eval.Judged{}, err
	case found && should:
		return true, reasoned("The expression matches the text, as required."), nil
	case found:
		why = reasoned("The expression matches the text, which it must not.")
		if start, end, ok := known.First(expression, flags, text); ok {
			why.Evidence = []eval.Evidence{{Input: "text", Kind: "REGEX", Start: start, End: end}}
		}
		return false, why, nil
	case should:
		return false, reasoned("The expression does not match the text, which it must."), nil
	default:
		return true, reasoned("The expression does not match the text, as required."), nil
	}
}

func (c regexValidatorConfig) flags() pytext.Flags {
	return pytext.Flags{CaseSensitive: c.CaseSensitive, DotIncludesNewline: c.DotIncludesNL, MultiLine: c.MultiLine}
}
