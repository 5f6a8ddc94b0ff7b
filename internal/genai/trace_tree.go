// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// tree is a trace as one of its spans sees it. Parents may be missing, and ids
// that name each other in a circle are taken as they come; the work is linear
// in the number of spans, but for sorting them.
type tree struct {
	end   int64
	spans []node        // all but the one that looks, by start
	told  *conversation // nil until it is asked for
}

// node is one span of the trace.
type node struct {
	*View
	id, parent span.ID
	start, end int64
	below      bool // the span that looks is an ancestor
	above      bool // the span that looks is a descendant
}

func newTree(view *View, siblings []*View) *tree {
	self := newNode(view)
	t := &tree{end: self.end, spans: make([]node, 0, len(siblings))}
	at := make(map[span.ID]int, len(siblings)+1) // places in spans
	at[self.id] = -1
	for _, v := range siblings {
		if v.span.TraceID() != view.span.TraceID() {
			continue
		}
		n := newNode(v)
		if _, known := at[n.id]; !known {
			at[n.id] = 0
			t.spans = append(t.spans, n)
		}
	}
	slices.SortFunc(t.spans, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), bytes.Compare(a.id[:], b.id[:]))
	})
	for i := range t.spans {
		at[t.spans[i].id] = i
	}
	t.relate(&self, at)
	return t
}

func newNode(v *View) node {
	start, duration := times(uint64(v.span.StartTimestamp()), uint64(v.span.EndTimestamp()))
	return node{
		View: v, id: span.ID(v.span.SpanID()), parent: span.ID(v.span.ParentSpanID()),
		start: start, end: addTimes(start, duration),
	}
}

// addTimes adds a duration to a start; a sum that does not fit is the latest.
func addTimes(start, duration int64) int64 { return ClampTime(uint64(start) + uint64(duration)) }

// relate marks what is above and below self.
func (t *tree) relate(self *node, at map[span.ID]int) {
	for id := self.parent; ; {
		i, known := at[id]
		if !known || i < 0 || t.spans[i].above {
			break
		}
		t.spans[i].above = true
		id = t.spans[i].parent
	}
	if self.parent == (span.ID{}) {
		for i := range t.spans {
			t.spans[i].below = true
		}
		return
	}
	seen := make([]bool, len(t.spans))
	var path []int
	for i := range t.spans {
		path = path[:0]
		below := false
		for {
			if seen[i] { // on an earlier path, or in a circle
				below = t.spans[i].below
				break
			}
			seen[i] = true
			path = append(path, i)
			next, known := at[t.spans[i].parent]
			if !known || next < 0 {
				below = known
				break
			}
			i = next
		}
		for _, j := range path {
			t.spans[j].below = below
		}
	}
}

// calls returns the calls of models below the span that looks, but for those
// that hold others.
func (t *tree) calls() []*node {
	at := make(map[span.ID]int, len(t.spans))
	for i := range t.spans {
		at[t.spans[i].id] = i
	}
	calling, holding := make([]bool, len(t.spans)), make([]bool, len(t.spans))
	for i := range t.spans {
		if !t.spans[i].below || !isCall(t.spans[i].View) {
			continue
		}
		calling[i] = true
		for j := i; ; {
			next, known := at[t.spans[j].parent]
			if !known || next == i || holding[next] {
				break
			}
			holding[next] = true
			j = next
		}
	}
	var list []*node
	for i := range t.spans {
		if calling[i] && !holding[i] {
			list = append(list, &t.spans[i])
		}
	}
	return list
}

// context returns what was found and answered before the span ended.
func (t *tree) context() string {
	var texts []string
	seen := map[string]bool{}
	add := func(list ...string) {
		for _, text := range list {
			if text != "" && !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	for i := range t.spans {
		n := &t.spans[i]
		if n.above || n.end > t.end && !n.below {
			continue
		}
		add(documents(n)...)
		if isTool(n) {
			add(toolText(n.outputText()))
		}
		add(toolAnswers(questions(n))...)
	}
	return lines(texts)
}
