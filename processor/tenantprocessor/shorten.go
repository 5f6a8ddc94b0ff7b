// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// stringBounds are lengths to which the strings of a JSON text may be cut, so that all of
// it is short enough.
var stringBounds = [...]int{256 << 10, 64 << 10, 16 << 10, 4 << 10, 1 << 10}

// listedBound is that of strings in a text whose lists lose elements too.
const listedBound = 16 << 10

// shortestCut is the shortest of them.
var shortestCut = stringBounds[len(stringBounds)-1]

// place is where a string stands in a text, with its quotation marks.
type place struct{ start, end int }

// shortJSON returns a JSON array or object of not more than most bytes in which long
// strings are cut: of a conversation with an attachment the words stay. Where that is not
// enough, a list loses elements. ok is false where the text is no such JSON, or is too long
// all the same.
func shortJSON(text string, most int) (short string, ok bool) {
	begin := strings.TrimLeft(text, " \t\r\n")
	if begin == "" || begin[0] != '[' && begin[0] != '{' {
		return "", false
	}
	long, ok := longStrings(text)
	if !ok {
		return "", false
	}
	for _, bound := range stringBounds {
		length := len(text)
		for _, p := range long {
			if size := p.end - p.start; size > bound {
				length -= size - bound - len(mark(size)) - len(`""`)
			}
		}
		if length <= most {
			return cutStrings(text, long, bound), true
		}
	}
	return withoutMiddle(cutStrings(text, long, listedBound), most)
}

// longStrings returns the strings of a JSON text that are worth cutting; false for text
// that is no JSON.
func longStrings(text string) (long []place, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBufferString(text), valuetext.RepeatedNames, valuetext.InvalidUTF8)
	for {
		if dec.PeekKind() != '"' {
			if _, err := dec.ReadToken(); err != nil {
				return long, dec.StackDepth() == 0 && int(dec.InputOffset()) >= len(strings.TrimRight(text, " \t\r\n"))
			}
			continue
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if end := int(dec.InputOffset()); len(raw) > shortestCut {
			long = append(long, place{end - len(raw), end})
		}
	}
}

// cutStrings cuts strings that are longer than bound.
func cutStrings(text string, long []place, bound int) string {
	var b strings.Builder
	done := 0
	for _, p := range long {
		if p.end-p.start <= bound {
			continue
		}
		b.WriteString(text[done:p.start])
		b.WriteString(beginning(text[p.start:p.end], bound))
		b.WriteString(mark(p.end - p.start))
		b.WriteByte('"')
		done = p.end
	}
	b.WriteString(text[done:])
	return b.String()
}

// beginning returns the beginning of a JSON string, not more than n bytes, without half a
// character or half an escape at its end.
func beginning(raw string, n int) string {
	for i := 1; ; {
		size := 1
		if raw[i] == '\\' {
			if size = len(`\n`); raw[i+1] == 'u' {
				size = len(`\u0000`)
			}
		}
		if i+size > n {
			return textcut.Bytes(raw, i)
		}
		i += size
	}
}

// Bounds of what is remembered of the lists of a text.
const (
	maxLists    = 8       // that may lose elements
	maxElements = 1 << 18 // of all lists together
)

// list is where a list stands in a text: behind its bracket, and behind each element.
type list struct {
	start int
	ends  []int
}

func (l *list) length() int { return l.ends[len(l.ends)-1] - l.start }

// withoutMiddle returns a JSON text of not more than most bytes in which a list has lost
// elements behind its first one: of a long conversation the instructions and the last
// messages stay.
func withoutMiddle(text string, most int) (short string, ok bool) {
	lists, ok := longestLists(text)
	if !ok {
		return "", false
	}
	for _, l := range lists {
		first, ends := l.start, l.ends // where the elements begin that go, and where each ends
		if ends[0]-l.start <= most/4 {
			first, ends = ends[0], ends[1:]
		}
		gone := func(i int) string {
			note := `"` + mark(ends[i]-first) + `"`
			if first > l.start {
				return "," + note
			}
			return note
		}
		// The last element stays.
		i := sort.Search(len(ends)-1, func(i int) bool { return len(text)-(ends[i]-first)+len(gone(i)) <= most })
		if i < len(ends)-1 {
			return text[:first] + gone(i) + text[ends[i]:], true
		}
	}
	return "", false
}

// longestLists returns those lists of a JSON text that have more than one element, the
// longest first.
func longestLists(text string) (longest []list, ok bool) {
	dec := jsontext.NewDecoder(strings.NewReader(text), valuetext.RepeatedNames, valuetext.InvalidUTF8)
	var open []*list // nil for an object
	elements := 0
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return longest, dec.StackDepth() == 0
		}
		switch token.Kind() {
		case '[':
			open = append(open, &list{start: int(dec.InputOffset())})
			continue
		case '{':
			open = append(open, nil)
			continue
		case ']':
			if l := open[len(open)-1]; len(l.ends) > 1 {
				longest = append(longest, *l)
				slices.SortStableFunc(longest, func(a, b list) int { return b.length() - a.length() })
				longest = longest[:min(len(longest), maxLists)]
			}
			open = open[:len(open)-1]
		case '}':
			open = open[:len(open)-1]
		}
		if len(open) > 0 && open[len(open)-1] != nil {
			if elements++; elements > maxElements {
				return nil, false
			}
			l := open[len(open)-1]
			l.ends = append(l.ends, int(dec.InputOffset()))
		}
	}
}
