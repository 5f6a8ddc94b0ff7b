// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"regexp"
	"regexp/syntax"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// parsePattern compiles a pattern that has exactly one group and is not so
// large that looking for it would take long.
func parsePattern(path, text string) (*regexp.Regexp, error) {
	if len(text) > maxMappingPattern {
		return nil, fault.New(fault.Invalid, "%s must be at most %d bytes", path, maxMappingPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is not a valid regular expression (RE2)", path)
	}
	if tree.MaxCap() != 1 {
		return nil, fault.New(fault.Invalid, "%s must have exactly one group", path)
	}
	if patternSize(tree) > maxPatternSize {
		return nil, fault.New(fault.Invalid, "%s is too complex: repeat less", path)
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s is not a valid regular expression (RE2)", path)
	}
	return pattern, nil
}

// patternSize is about how many states the automaton of a pattern has.
func patternSize(tree *syntax.Regexp) int {
	size := 1
	if tree.Op == syntax.OpLiteral {
		size = len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		size += patternSize(sub)
	}
	if tree.Op == syntax.OpRepeat {
		size *= max(tree.Min, tree.Max, 1)
	}
	return size
}

// pick returns what the group of the pattern finds first.
func pick(text string, pattern *regexp.Regexp) (string, bool) {
	text = textcut.Bytes(text, maxPatternText)
	at := pattern.FindStringSubmatchIndex(text)
	if at == nil || at[2] < 0 {
		return "", false
	}
	return text[at[2]:at[3]], true
}
