// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/ready"
)

// wait is the time to wait for the rest of a trace, at most: the time that the page says.
const wait = 2 * time.Minute

// judged says when a trace was judged first, and why.
type judged struct {
	at     int64
	reason ready.Reason
}

// byTimer returns when a timer has each trace judged. It knows when spans came and which
// of them is the root.
func byTimer(traces []simulated, at func(t *simulated) int64) []judged {
	list := make([]judged, len(traces))
	for i := range traces {
		list[i].at = at(&traces[i])
	}
	return list
}

// fixed waits from the first span on.
func fixed(after time.Duration) func(t *simulated) int64 {
	return func(t *simulated) int64 { return t.arrivals[0].span.Arrived + int64(after) }
}

// idle waits until nothing has come for a while.
func idle(after time.Duration) func(t *simulated) int64 {
	return func(t *simulated) int64 {
		last := t.arrivals[0].span.Arrived
		for _, a := range t.arrivals {
			if a.span.Arrived > last+int64(after) {
				break
			}
			last = a.span.Arrived
		}
		return last + int64(after)
	}
}

// afterRoot waits from the root on, or for a missing root as long as we do.
func afterRoot(after time.Duration) func(t *simulated) int64 {
	return func(t *simulated) int64 {
		if t.root == 0 {
			return t.last + int64(wait)
		}
		return t.root + int64(after)
	}
}

// look is the next look at a trace.
type look struct {
	at    int64
	trace int
}

type looks []look

func (l looks) Len() int           { return len(l) }
func (l looks) Less(i, j int) bool { return l[i].at < l[j].at }
func (l looks) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *looks) Push(x any)        { *l = append(*l, x.(look)) }
func (l *looks) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}

// byStructure returns when package ready has each trace judged, all of them in the order
// of time, since each may learn from the ones before. It counts the looks.
func byStructure(traces []simulated) (list []judged, looked int) {
	list = make([]judged, len(traces))
	var memory ready.Memory
	due := &looks{}
	for i := range traces {
		heap.Push(due, look{traces[i].arrivals[0].span.Arrived + int64(time.Second), i})
	}
	for due.Len() > 0 {
		next := heap.Pop(due).(look)
		looked++
		spans := traces[next.trace].at(next.at)
		last := spans[len(spans)-1].Arrived
		d := memory.Decide(spans, last, next.at, wait)
		if d.At > next.at {
			heap.Push(due, look{d.Look, next.trace})
			continue
		}
		list[next.trace] = judged{next.at, d.Reason}
		memory.Learn(spans, d.Reason, next.at)
	}
	return list, looked
}

// at returns the spans that are stored at a time.
func (t *simulated) at(now int64) []ready.Span {
	n, _ := slices.BinarySearchFunc(t.spans, now+1, func(s ready.Span, at int64) int { return cmp.Compare(s.Arrived, at) })
	return t.spans[:n]
}
