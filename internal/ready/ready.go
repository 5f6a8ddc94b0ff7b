// SPDX-License-Identifier: Apache-2.0

// Package ready says when a trace counts as complete, by what is stored of it: roots,
// parents that are named and missing, tool calls without a result, arrivals.
// Nothing of a trace is kept between two looks, so a crash loses nothing. A Memory
// holds only what traces usually do.
package ready

import (
	"cmp"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Reason says why a trace counts as complete.
type Reason string

const (
	// Structure: the root is here and nothing is open.
	Structure Reason = "structure"
	// LocalRoot: the parents of the uppermost spans do not come here, and nothing is open.
	LocalRoot Reason = "local_root"
	// Linked: as Structure, and the root links to another trace.
	Linked Reason = "linked"
	// Quiet: something is open, and no span arrived for long.
	Quiet Reason = "quiet"
	// Deadline: the time to wait is over. The root may be missing.
	Deadline Reason = "deadline"
)

// Span is what readiness reads of a stored span. Times are Unix nanoseconds; Arrived is 0
// where it is unknown.
type Span struct {
	ID, Parent    span.ID
	Service, Name string
	Kind          string // SPAN_KIND_CLIENT, …
	Flags         uint32 // as those of span.Span
	End, Arrived  int64
	Calls         []Call   // tool calls that it asks for
	Answered      []string // ids of tool calls whose result it has or is
	Runs          string   // the id of the tool call that it is
	Links         bool     // to another trace
}

// Call is a tool call that a model asked for.
type Call struct{ ID, Tool string }

// Flags of OTLP that say where the parent is.
const (
	flagKnown  = 0x100
	flagRemote = 0x200
)

// entersProcess reports whether the parent of a span is in another process. SDKs that do
// not say so are known by the kinds of their spans.
func (s *Span) entersProcess() bool {
	if s.Flags&flagKnown != 0 {
		return s.Flags&flagRemote != 0
	}
	return s.Kind == "SPAN_KIND_SERVER" || s.Kind == "SPAN_KIND_CONSUMER"
}

// Periods of a decision.
const (
	// Settle is how soon after a span the trace may be complete at the earliest.
	Settle = 200 * time.Millisecond
	// settleUnknown is the same where the delay of the service is not known yet,
	// settleMost where it is long.
	settleUnknown = 2 * time.Second
	settleMost    = 5 * time.Second
	// quietLeast is how long nothing must arrive where something is open. OTLP exporters
	// repeat a batch every 30 seconds at least.
	quietLeast = 90 * time.Second
	quietGaps  = 5 // as many times the longest gap that the trace has shown
	// Soonest is the shortest time from the first span of interest to the first look, and
	// from one look to the next.
	Soonest = time.Second
)

// Decision says when a trace is complete if nothing more of it arrives, and why then.
type Decision struct {
	Reason Reason
	At     int64 // Unix nanoseconds
	// Look is when to look again: at At, or before, since what arrives changes At.
	Look int64
}

// Decide decides about the spans of one trace that are stored now. since is when the wait
// began that ends after wait, whatever is missing.
func (m *Memory) Decide(spans []Span, since, now int64, wait time.Duration) Decision {
	t := read(spans)
	d, rooted := m.complete(&t)
	if deadline := since + int64(wait); d.Reason == "" || deadline < d.At {
		d = Decision{Reason: Deadline, At: deadline}
	}
	// The missing part of a trace with a root is close; a missing root may take hours.
	pause := (now - since) / 2
	if rooted {
		pause = (now - t.last) / 4
	}
	d.Look = min(d.At, now+max(pause, int64(Soonest)))
	return d
}

// complete returns when the trace is complete by itself, Reason "" for never, and whether
// what is missing is not its root.
func (m *Memory) complete(t *trace) (d Decision, rooted bool) {
	missing := never
	for _, s := range t.tops {
		missing = max(missing, m.expects(s))
	}
	quiet := t.last + max(int64(quietLeast), quietGaps*t.gap)
	switch {
	case t.root == nil && (missing == surely || len(t.tops) == 0):
		return Decision{}, false
	case m.isOpen(t), t.root != nil && missing != never:
		return Decision{Reason: Quiet, At: quiet}, true
	case missing != never:
		return Decision{Reason: LocalRoot, At: quiet}, true
	case t.root == nil:
		top := slices.MaxFunc(t.tops, func(a, b *Span) int { return cmp.Compare(a.End, b.End) })
		return Decision{Reason: LocalRoot, At: m.settled(t, top)}, true
	case t.root.Links:
		return Decision{Reason: Linked, At: m.settled(t, t.root)}, true
	}
	return Decision{Reason: Structure, At: m.settled(t, t.root)}, true
}

// expectation is whether a missing span will come.
type expectation int

const (
	never expectation = iota
	perhaps
	surely
)

// expects says whether the missing parent of a span will come.
func (m *Memory) expects(s *Span) expectation {
	switch seen, share := m.share(parentCame, s.Service, s.Name); {
	case seen >= learntFew && share <= rarely:
		return never
	case seen < learntFew && s.entersProcess():
		return perhaps
	}
	return surely
}

// settled returns when spans that ended no later than the root have arrived. A service that
// sends one batch after the other has sent them before.
func (m *Memory) settled(t *trace, root *Span) int64 {
	delay, known := m.delay(root.Service)
	if seen, share := m.share(disordered, root.Service, ""); seen >= learnt && share <= rarely {
		return t.last + int64(Settle)
	}
	if !known {
		return t.last + int64(settleUnknown)
	}
	return min(max(root.End+delay, t.last+int64(Settle)), t.last+int64(settleMost))
}

// isOpen reports whether something has not come that usually does: the result of a tool
// call, who asked for one, or what a client called.
func (m *Memory) isOpen(t *trace) bool {
	for i := range t.spans {
		s := &t.spans[i]
		for _, c := range s.Calls {
			seen, share := m.share(callAnswered, s.Service, c.Tool)
			if !t.answered[c.ID] && (seen < learntFew || share > seldom) {
				return true
			}
		}
		if s.Runs != "" && !t.asked[s.Runs] {
			if seen, share := m.share(callAsked, s.Service, s.Name); seen >= learnt && share >= usually {
				return true
			}
		}
		if s.Kind == clientKind && !t.served[s.ID] {
			if seen, share := m.share(childCame, s.Service, s.Name); seen >= learnt && share >= usually {
				return true
			}
		}
	}
	return false
}

const clientKind = "SPAN_KIND_CLIENT"

// trace is what the stored spans of a trace show together.
type trace struct {
	spans    []Span
	root     *Span            // that ended last, of those without a parent; nil without any
	tops     []*Span          // whose parents are not here
	served   map[span.ID]bool // that have a child in another process
	asked    map[string]bool  // tool calls that a span asks for
	answered map[string]bool  // tool calls that have a result
	last     int64            // arrival
	gap      int64            // the longest between two arrivals
}

func read(spans []Span) trace {
	t := trace{spans: spans, served: map[span.ID]bool{}, asked: map[string]bool{}, answered: map[string]bool{}}
	at := make(map[span.ID]*Span, len(spans))
	arrivals := make([]int64, 0, len(spans))
	for i := range spans {
		s := &spans[i]
		at[s.ID] = s
		if s.Arrived != 0 {
			arrivals = append(arrivals, s.Arrived)
		}
		for _, c := range s.Calls {
			t.asked[c.ID] = true
		}
		for _, id := range s.Answered {
			t.answered[id] = true
		}
	}
	slices.Sort(arrivals)
	for i, a := range arrivals {
		t.last = a
		if i > 0 {
			t.gap = max(t.gap, a-arrivals[i-1])
		}
	}
	for i := range spans {
		t.place(&spans[i], at)
	}
	return t
}

// place notes how a span hangs in the trace.
func (t *trace) place(s *Span, at map[span.ID]*Span) {
	parent := at[s.Parent]
	switch {
	case s.Parent == span.ID{}:
		if t.root == nil || s.End > t.root.End {
			t.root = s
		}
	case parent != nil:
		if s.entersProcess() || parent.Service != s.Service {
			t.served[parent.ID] = true
		}
	default:
		t.tops = append(t.tops, s)
	}
}
