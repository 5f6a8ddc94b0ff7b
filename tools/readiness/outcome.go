// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/ready"
)

// outcome is what came of one rule.
type outcome struct {
	name          string
	complete      float64 // share of traces whose first result is of all their spans
	completeWhole float64 // of those without loss
	orphans       int     // judged before their root, which came later
	admitted      float64 // share of lossy traces whose result says that they may be incomplete
	median, p99   time.Duration
	extra         float64 // judge calls for spans that came later, a trace
	looks         float64 // a trace
}

// every is the time from one trace to the next.
const every = 500 * time.Millisecond

// compare plays the same arrivals to all rules.
func compare(seed uint64, n int) []outcome {
	w := newWorld(seed)
	var traces []simulated
	for start := int64(time.Hour); len(traces) < n; start += int64(every) {
		if t := w.trace(start); t.whole > 0 {
			traces = append(traces, t)
		}
	}
	ours, looked := byStructure(traces)
	list := []outcome{measure("by these rules", traces, ours)}
	list[0].looks = float64(looked) / float64(len(traces))
	for _, timer := range []struct {
		name string
		at   func(t *simulated) int64
	}{
		{"3 minutes after the first span", fixed(3 * time.Minute)},
		{"5 minutes after the first span", fixed(5 * time.Minute)},
		{"30 seconds without a span", idle(30 * time.Second)},
		{"root + 30 seconds", afterRoot(30 * time.Second)},
	} {
		list = append(list, measure(timer.name, traces, byTimer(traces, timer.at)))
	}
	return list
}

func measure(name string, traces []simulated, first []judged) outcome {
	o := outcome{name: name}
	var waits []int64
	complete, completeWhole, whole, admitted, extra := 0, 0, 0, 0, 0
	for i := range traces {
		t, at := &traces[i], first[i].at
		all := len(t.at(at)) >= t.whole
		if all {
			complete++
		}
		if t.lossy {
			if r := first[i].reason; r == ready.Quiet || r == ready.Deadline {
				admitted++
			}
		} else {
			whole++
			if all {
				completeWhole++
				waits = append(waits, at-t.last)
			}
		}
		if t.root > at {
			o.orphans++
		}
		extra += t.revisions(at)
	}
	slices.Sort(waits)
	o.complete, o.completeWhole = share(complete, len(traces)), share(completeWhole, whole)
	o.admitted, o.extra = share(admitted, len(traces)-whole), share(extra, len(traces))
	o.median, o.p99 = time.Duration(waits[len(waits)/2]), time.Duration(waits[len(waits)*99/100])
	return o
}

func share(n, of int) float64 { return float64(n) / float64(of) }

// Revisions of one trace: at most so many, and what comes together makes one.
const (
	maxRevisions = 3
	together     = 30 * time.Second
)

// revisions counts how often spans that came later had the trace judged again.
func (t *simulated) revisions(first int64) int {
	n, until := 0, first
	for i := range t.spans {
		if t.spans[i].Arrived > until {
			n++
			until = t.spans[i].Arrived + int64(together)
		}
	}
	return min(n, maxRevisions)
}

// table returns the outcomes as Markdown.
func table(list []outcome) string {
	var b strings.Builder
	b.WriteString("| evaluated | complete | complete, without loss | before the root came | wait p50 | wait p99 | extra calls | lossy traces that say so |\n|---|---|---|---|---|---|---|---|\n")
	for _, o := range list {
		admitted := fmt.Sprintf("%.0f %%", 100*o.admitted)
		if o.looks == 0 {
			admitted = "none"
		}
		fmt.Fprintf(&b, "| %s | %.2f %% | %.2f %% | %d | %.1f s | %.1f s | %.2f %% | %s |\n", o.name, 100*o.complete, 100*o.completeWhole, o.orphans,
			o.median.Seconds(), o.p99.Seconds(), 100*o.extra, admitted)
	}
	fmt.Fprintf(&b, "\nThe rules looked at each trace %.1f times on average.\n", list[0].looks)
	return b.String()
}
