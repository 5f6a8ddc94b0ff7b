// SPDX-License-Identifier: Apache-2.0

// Package pytext reads texts as Python does: its regular expressions, its
// literals, its words.
//
// https://docs.python.org/3/library/re.html
// https://docs.python.org/3/library/stdtypes.html#str.split
package pytext

import (
	"errors"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Bounds of the expressions that users write.
const (
	maxRegex       = 16 << 10
	maxRegexNames  = 8
	maxRegexTime   = 100 * time.Millisecond
	maxRegexStack  = 1 << 20 // steps that can be taken back, 8 MiB
	maxCachedRegex = 2 << 10
	cachedRegexes  = 256
)

// Flags say how an expression is read.
type Flags struct {
	CaseSensitive, DotIncludesNewline, MultiLine bool
}

func (f Flags) options() regexp2.RegexOptions {
	options := regexp2.None
	if !f.CaseSensitive {
		options |= regexp2.IgnoreCase
	}
	if f.DotIncludesNewline {
		options |= regexp2.Singleline
	}
	if f.MultiLine {
		options |= regexp2.Multiline
	}
	return options
}

// Regexes compiles Python's regular expressions and keeps those in use.
type Regexes struct {
	small *lru.Cache[regexKey, *regexp2.Regexp]
}

type regexKey struct {
	expression string
	flags      Flags
}

// NewRegexes returns regexes of which none is kept yet.
func NewRegexes() *Regexes {
	small, err := lru.New[regexKey, *regexp2.Regexp](cachedRegexes)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return &Regexes{small: small}
}

// Get compiles an expression. field is what the caller wrote it in.
func (r *Regexes) Get(field, expression string, flags Flags) (*regexp2.Regexp, error) {
	key := regexKey{expression, flags}
	if known, ok := r.small.Get(key); ok {
		return known, nil
	}
	if len(expression) > maxRegex {
		return nil, fault.New(fault.Invalid, "%s is over the limit of %d bytes", field, maxRegex)
	}
	if strings.Count(expression, `\N{`) > maxRegexNames {
		return nil, fault.New(fault.Invalid, "%s names more than %d characters", field, maxRegexNames)
	}
	translated, err := translatePython(expression)
	if err != nil {
		return nil, refuseRegex(field, err)
	}
	compiled, err := regexp2.Compile(translated, flags.options(), regexp2.OptionMaxBacktrackingStackSize(maxRegexStack))
	if err != nil {
		return nil, refuseRegex(field, err)
	}
	compiled.MatchTimeout = maxRegexTime
	if len(expression) <= maxCachedRegex {
		r.small.Add(key, compiled)
	}
	return compiled, nil
}

// Found reports whether the expression is found anywhere in text. Running out
// of time or of stack is a refusal and never an answer.
func (r *Regexes) Found(field, expression string, flags Flags, text string) (bool, error) {
	compiled, err := r.Get(field, expression, flags)
	if err != nil {
		return false, err
	}
	matched, err := compiled.MatchString(text)
	if err != nil {
		// The error of the engine holds the text.
		return false, fault.New(fault.Invalid, "%s took too long to match", field)
	}
	return matched, nil
}

// First returns where an expression is found first in a text, if that takes no longer than
// Found may.
func (r *Regexes) First(expression string, flags Flags, text string) (start, end int, ok bool) {
	compiled, err := r.Get("", expression, flags)
	if err != nil {
		return 0, 0, false
	}
	match, err := compiled.FindStringMatch(text)
	if err != nil || match == nil {
		return 0, 0, false
	}
	start, length := match.ByteRange()
	return start, start + length, true
}

// Finder returns what hands over where an expression is found in a text, one match after the
// other, until yield says that it has seen enough. Empty matches are passed over. Running
// out of stack, or of time, which is limit for each match, is an error; the matches before
// count.
func (r *Regexes) Finder(field, expression string, flags Flags, limit time.Duration) (func(text string, yield func(start, end int) bool) error, error) {
	compiled, err := r.Get(field, expression, flags)
	if err != nil {
		return nil, err
	}
	compiled, err = regexp2.Compile(compiled.String(), flags.options(), regexp2.OptionMaxBacktrackingStackSize(maxRegexStack))
	if err != nil {
		return nil, refuseRegex(field, err)
	}
	compiled.MatchTimeout = limit
	return func(text string, yield func(start, end int) bool) error {
		match, err := compiled.FindStringMatch(text)
		for ; match != nil && err == nil; match, err = compiled.FindNextMatch(match) {
			if start, length := match.ByteRange(); length > 0 && !yield(start, start+length) {
				return nil
			}
		}
		if err != nil {
			// The error of the engine holds the text.
			return fault.New(fault.Invalid, "%s took too long to match", field)
		}
		return nil
	}, nil
}

func refuseRegex(field string, err error) error {
	var detail *syntax.Error
	if errors.As(err, &detail) && len(detail.Args) == 0 {
		err = errors.New(detail.Code.String())
	} else if detail != nil {
		err = errors.New("malformed")
	}
	return fault.New(fault.Invalid, "%s is not a valid regular expression: %s", field, err.Error())
}
