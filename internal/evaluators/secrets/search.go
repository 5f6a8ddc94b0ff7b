// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Bounds of a search.
const (
	// mostEffort is how many bytes are looked through. Every rule has its
	// share, so that bait for some leaves the others to work.
	mostEffort = 3 << 20
	// judging is how much more than looking it takes to judge a byte.
	judging = 16
	// mostReach is how far from its keyword a secret without a bound is sought.
	mostReach = 4 << 10
	// mostContext is how much of a line is shown around a place.
	mostContext = 200
)

// leakRule finds the secrets of one service.
type leakRule struct {
	// keywords are in lower case; a match has one of them. No keywords are
	// like one that is everywhere.
	keywords []string
	// reach is how many bytes a match has at most.
	reach int
	// run is what a match has besides; with ordered it begins behind the
	// keyword. Sign is what the run has one of, "" for nothing.
	run     streak
	ordered bool
	sign    string
	// probe matches wherever the rule may find something.
	probe *regexp.Regexp
	// judge hands over the secrets in a piece of the text, a match of the probe
	// with something of its line, until yield says that it has seen enough; then
	// it returns false.
	judge func(ctx context.Context, text string, piece place, yield func(place) bool) bool
}

// place is a piece of a text.
type place struct{ start, end int }

// leakSearch looks for the secrets of many rules at once.
type leakSearch struct {
	rules []leakRule
	words *words
	of    [][]int // the rules of each word
	all   []int   // the rules without one
}

func newLeakSearch(rules []leakRule) *leakSearch {
	s := &leakSearch{rules: rules}
	var keywords []string
	at := map[string]int{}
	for i, r := range rules {
		if len(r.keywords) == 0 {
			s.all = append(s.all, i)
		}
		for _, word := range r.keywords {
			k, known := at[word]
			if !known {
				k = len(keywords)
				at[word] = k
				keywords, s.of = append(keywords, word), append(s.of, nil)
			}
			s.of[k] = append(s.of[k], i)
		}
	}
	s.words = newWords(keywords)
	return s
}

// find hands over what rules find until yield says that it has seen enough; then it
// returns false. A text with more places that might be secrets than are judged is
// refused once those were.
func (s *leakSearch) find(ctx context.Context, text string, yield func(place) bool) (more bool, err error) {
	wanted := s.places(text)
	slices.SortStableFunc(wanted, func(a, b ruled) int { return a.size - b.size })
	left, exhausted := mostEffort, false
	for i, w := range wanted {
		share := left / (len(wanted) - i)
		left -= share
		for _, at := range w.places {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			if !w.rule.find(ctx, text, at, &share, yield) {
				return false, nil
			}
		}
		exhausted = exhausted || share <= 0
		left += max(share, 0)
	}
	if exhausted {
		return true, fault.New(fault.TooLarge, "input.text has more places that might hold a secret than are searched; judge it in parts")
	}
	return true, ctx.Err()
}

// find hands over the secrets at a place until yield says that it has seen enough; then
// it returns false. It takes from the effort what it made, and gives up when nothing is
// left.
func (r *leakRule) find(ctx context.Context, text string, at place, effort *int, yield func(place) bool) bool {
	for from := at.start; from < at.end && *effort > 0; {
		to := min(at.end, from+*effort)
		match := r.probe.FindStringIndex(text[from:to])
		if match == nil {
			*effort -= to - from
			return true
		}
		piece := withLine(text, place{max(at.start, from+match[0]-mostContext), min(len(text), from+match[1]+1)})
		*effort -= match[1] + judging*(piece.end-piece.start)
		if !r.judge(ctx, text, piece, yield) {
			return false
		}
		from += max(match[1], 1)
	}
	return true
}

// ruled are the places where a rule may find something.
type ruled struct {
	rule   *leakRule
	places []place
	size   int
}

// places returns where each rule has to look: near its keywords and near a run.
func (s *leakSearch) places(text string) []ruled {
	near := make([][]place, len(s.rules))
	s.words.walk(lowered(text), func(start, word int) bool {
		for _, i := range s.of[word] {
			near[i] = joined(near[i], s.rules[i].runAt(start, len(text)), 0)
		}
		return true
	})
	for _, i := range s.all {
		near[i] = []place{{0, len(text)}}
	}
	var wanted []ruled
	for i := range s.rules {
		if w := (ruled{rule: &s.rules[i]}); len(near[i]) > 0 && w.narrow(text, near[i]) {
			wanted = append(wanted, w)
		}
	}
	return wanted
}

// runAt returns where the run of a match may begin whose keyword begins at a byte
// of a text of this length.
func (r *leakRule) runAt(keyword, length int) place {
	low := keyword
	if !r.ordered {
		low -= r.reach
	}
	return place{max(0, low), min(length, keyword+min(r.run.far, r.reach)+1)}
}

// narrow returns the places around the runs that begin near keywords, and
// reports whether there are any.
func (w *ruled) narrow(text string, near []place) bool {
	r := w.rule
	for _, at := range near {
		for from := at.start; from < at.end; {
			start, end := r.run.next(text, from, at.end)
			if start < 0 {
				break
			}
			from = end
			if r.sign != "" && !strings.ContainsAny(text[start:end], r.sign) {
				continue
			}
			w.places = joined(w.places, place{max(0, start-r.reach), min(len(text), end+r.reach)}, mostContext)
		}
	}
	for i := range w.places {
		w.places[i] = withLine(text, w.places[i])
		w.size += w.places[i].end - w.places[i].start
	}
	return len(w.places) > 0
}

// joined appends a place that begins behind the others, or makes the last one
// larger if they touch or have no more than a gap between them.
func joined(list []place, next place, gap int) []place {
	if n := len(list); n > 0 && next.start <= list[n-1].end+gap {
		list[n-1].end = max(list[n-1].end, next.end)
		list[n-1].start = min(list[n-1].start, next.start)
		return list
	}
	return append(list, next)
}

// withLine makes a place begin and end where its lines do, if that is near.
func withLine(text string, at place) place {
	low := max(0, at.start-mostContext)
	if i := strings.LastIndexByte(text[low:at.start], '\n'); i >= 0 {
		at.start = low + i + 1
	} else if low == 0 {
		at.start = 0
	}
	high := min(len(text), at.end+mostContext)
	if i := strings.IndexByte(text[at.end:high], '\n'); i >= 0 {
		at.end += i
	} else if high == len(text) {
		at.end = high
	}
	return at
}

// lowered returns a text with ASCII letters in lower case, all bytes in place.
func lowered(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
