// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxElements is the number of elements a phrase can have.
const maxElements = 30

// newPhrases reads rules, as MustPhrases has them.
func newPhrases(source string) (*Phrases, error) {
	p := &Phrases{words: map[string]int{}, doubled: map[string][]string{}}
	lists := map[string][]string{}
	for n, line := range strings.Split(source, "\n") {
		if err := p.parse(strings.TrimSpace(line), lists); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	p.seats.New = func() any {
		return &seat{states: make([]uint32, len(p.rules)), next: make([]uint32, len(p.rules))}
	}
	return p, nil
}

// MustPhrases reads rules that are part of the program, one in a line:
//
//	name: element element ...
//
// An element is a word or several with slashes between them; the name of a
// list after a dollar sign; or ..n for up to n words of any kind. A question
// mark after it says that it may be left out. A line
//
//	$list: word word ...
//
// makes a list. Words are written as they are read: lower case, no accents. A
// line that begins with a number sign and a space is a comment.
func MustPhrases(source string) *Phrases {
	p, err := newPhrases(source)
	if err != nil {
		panic(err)
	}
	return p
}

func (p *Phrases) parse(line string, lists map[string][]string) error {
	if line == "" || strings.HasPrefix(line, "# ") {
		return nil
	}
	name, rest, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("%q has no name", line)
	}
	if list, ok := strings.CutPrefix(name, "$"); ok {
		lists[list] = append(lists[list], strings.Fields(rest)...)
		return nil
	}
	return p.add(name, strings.Fields(rest), lists)
}

// add makes a rule. The number of elements can exceed that of the fields, as a
// gap is an element for each word it may take.
func (p *Phrases) add(name string, fields []string, lists map[string][]string) error {
	r := rule{name: name}
	var optional []bool
	taken := map[string]uint32{}
	for _, field := range fields {
		field, left := strings.CutSuffix(field, "?")
		gap, isGap := strings.CutPrefix(field, "..")
		size := 1
		if isGap {
			var err error
			if size, err = strconv.Atoi(gap); err != nil || size < 1 {
				return fmt.Errorf("%s: %q is no gap", name, field)
			}
		}
		if len(optional)+size > maxElements {
			return fmt.Errorf("%s has more than %d elements", name, maxElements)
		}
		for range size {
			bit := uint32(1) << len(optional)
			optional = append(optional, left || isGap)
			if isGap {
				r.gaps |= bit
				continue
			}
			words, err := alternatives(field, lists)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, w := range words {
				taken[w] |= bit
			}
		}
	}
	if len(optional) == 0 {
		return fmt.Errorf("%s has no elements", name)
	}
	r.connect(optional)
	if r.reach[0]&r.end != 0 {
		return fmt.Errorf("%s needs no word at all", name)
	}
	p.enter(r, taken)
	return nil
}

// connect sets which elements of a rule, of which some are optional, are reached with
// each, and where it ends.
func (r *rule) connect(optional []bool) {
	r.end = 1 << len(optional)
	for i := len(optional); i >= 0; i-- {
		r.reach[i] = 1 << i
		if i < len(optional) && optional[i] {
			r.reach[i] |= r.reach[i+1]
		}
	}
}

func (p *Phrases) enter(r rule, taken map[string]uint32) {
	for word, elements := range taken {
		n, ok := p.words[word]
		if !ok {
			n = len(p.places)
			p.words[word] = n
			p.places = append(p.places, nil)
			if key := string(once(nil, []byte(word))); key != word {
				p.doubled[key] = append(p.doubled[key], word)
				slices.Sort(p.doubled[key])
			}
		}
		p.places[n] = append(p.places[n], place{rule: len(p.rules), elements: elements})
	}
	p.rules = append(p.rules, r)
}

func alternatives(field string, lists map[string][]string) ([]string, error) {
	if list, ok := strings.CutPrefix(field, "$"); ok && list != "" {
		if len(lists[list]) == 0 {
			return nil, fmt.Errorf("there is no list %q", list)
		}
		return lists[list], nil
	}
	var words []string
	for _, w := range strings.Split(field, "/") {
		if w == "" {
			return nil, fmt.Errorf("%q has an empty word", field)
		}
		words = append(words, w)
	}
	return words, nil
}
