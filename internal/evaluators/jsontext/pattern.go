// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// pattern is a regular expression in a schema.
type pattern struct {
	expression *regexp2.Regexp
	gauge      *gauge
}

// compilePattern reads an expression as JavaScript does with its flag u, or if
// that fails as .NET does, which knows more.
func (g *gauge) compilePattern(text string) (jsonschema.Regexp, error) {
	expression, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		if expression, err = regexp2.Compile(text, regexp2.None); err != nil {
			return nil, err
		}
	}
	return &pattern{expression, g}, nil
}

// String returns the expression as it was written.
func (p *pattern) String() string { return p.expression.String() }

// MatchString reports whether text has a match, within what is left of the
// time of the validation.
func (p *pattern) MatchString(text string) bool {
	p.expression.MatchTimeout = maxValidation
	if !p.gauge.deadline.IsZero() {
		p.expression.MatchTimeout = time.Until(p.gauge.deadline)
	}
	if p.expression.MatchTimeout <= 0 {
		panic(tooSlow{})
	}
	matched, err := p.expression.MatchString(text)
	if err != nil {
		panic(tooSlow{})
	}
	return matched
}
