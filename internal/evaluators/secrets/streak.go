// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// letters are bytes that a run is made of.
type letters [256]bool

// streak is what every match of an expression has: so many bytes of a set in a
// row. Most texts have no such run, and it is much cheaper to look for.
type streak struct {
	of    letters
	least int // 0 says nothing
	// far is how many bytes of a match come before it at most.
	far int
}

// everything is the length of an expression that has no bound.
const everything = 1 << 30

// streakOf returns the longest run that every match of an expression is known to
// have.
func streakOf(re *syntax.Regexp) streak {
	switch re.Op {
	case syntax.OpCapture:
		return streakOf(re.Sub[0])
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return streak{of: lettersOf(re), least: 1}
	case syntax.OpRepeat:
		inner := streakOf(re.Sub[0])
		if single(re.Sub[0]) {
			inner.least = re.Min
		} else if re.Min == 0 {
			inner.least = 0
		}
		return inner
	case syntax.OpPlus:
		return streakOf(re.Sub[0])
	case syntax.OpConcat:
		var best streak
		before := 0
		for _, sub := range re.Sub {
			if r := streakOf(sub); r.least > best.least {
				r.far = min(everything, r.far+before)
				best = r
			}
			before = min(everything, before+longest(sub))
		}
		return best
	case syntax.OpAlternate:
		all := streakOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			r := streakOf(sub)
			all.least, all.far = min(all.least, r.least), max(all.far, r.far)
			for b := range r.of {
				all.of[b] = all.of[b] || r.of[b]
			}
		}
		return all
	}
	return streak{}
}

func single(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass || re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL
}

// lettersOf returns the bytes of a class; what is beyond ASCII is any such byte.
func lettersOf(re *syntax.Regexp) letters {
	var of letters
	if re.Op != syntax.OpCharClass {
		for b := range of {
			of[b] = true
		}
		return of
	}
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= min(re.Rune[i+1], unicode.MaxASCII); r++ {
			of[r] = true
		}
		if re.Rune[i+1] > unicode.MaxASCII {
			for b := utf8.RuneSelf; b < len(of); b++ {
				of[b] = true
			}
		}
	}
	return of
}

// longest returns how many bytes a match has at most.
func longest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return utf8.UTFMax * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		if len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] <= unicode.MaxASCII {
			return 1
		}
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = min(everything, n+longest(sub))
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
		return n
	case syntax.OpRepeat:
		if re.Max >= 0 {
			return min(everything, re.Max*longest(re.Sub[0]))
		}
		return everything
	case syntax.OpStar, syntax.OpPlus:
		return everything
	}
	return 0
}

// mostStreak is how much of a run is looked at.
const mostStreak = 4 << 10

// next returns a run of a text that begins, or goes on, in from to below to; -1
// and -1 if there is none. A very long one is given in pieces.
func (r *streak) next(text string, from, to int) (start, end int) {
	for i := from; i < to; {
		if !r.of[text[i]] {
			i++
			continue
		}
		start = i
		for i < len(text) && i-start < mostStreak && r.of[text[i]] {
			i++
		}
		if i-start >= r.least {
			return start, i
		}
	}
	return -1, -1
}
