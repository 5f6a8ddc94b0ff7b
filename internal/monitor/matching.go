// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"math/bits"
	"slices"
)

// Monitors are the monitors of some setups: plain ones before chained ones, each in the
// order of setups. They are immutable and safe for concurrent use.
type Monitors struct {
	List []*Monitor
	// Acting are the monitors of List that have Acts.
	Acting []*Monitor

	decision *decision
}

var noMonitors = together(nil, nil)

// together puts monitors, which are in the order of setups, in the order of Monitors. The
// decision of those before is taken over where their selectors are the same.
func together(list []*Monitor, before *Monitors) *Monitors {
	ordered := make([]*Monitor, 0, len(list))
	for _, chained := range [...]bool{false, true} {
		for _, m := range list {
			if m.Chained == chained {
				ordered = append(ordered, m)
			}
		}
	}
	all := &Monitors{List: ordered, Acting: slices.DeleteFunc(slices.Clone(ordered), func(m *Monitor) bool { return len(m.Acts) == 0 })}
	if before != nil && slices.EqualFunc(before.List, ordered, (*Monitor).matchesSame) {
		all.decision = before.decision
	} else {
		all.decision = newDecision(ordered)
	}
	return all
}

// matchesSame reports whether two monitors have the same selector.
func (m *Monitor) matchesSame(other *Monitor) bool {
	return m == other || slices.EqualFunc(m.Setup.Selector, other.Setup.Selector, func(a, b Rule) bool { return a.Equals(&b) })
}

// Matching finds the monitors that match spans of one resource, one span after the
// other. It is for one goroutine.
type Matching struct {
	monitors *Monitors
	of       *decision

	attributes Attributes
	// now counts what happens, and since says when of each class the attributes may
	// last have become others.
	now   uint64
	since [classes]uint64
	texts []foundText // by attribute
	held  []heldRule  // by rule
	set   []uint64    // of the monitors that match
	list  []Match
}

// Match is a monitor that matches a span, as far as that has been looked at.
type Match struct {
	*Monitor

	place int
}

type foundText struct {
	at      uint64
	text    string
	present bool
}

type heldRule struct {
	at    uint64
	holds bool
}

// Matching returns what matches spans of a resource. It is given back by its
// method Release.
func (m *Monitors) Matching() *Matching {
	x, ok := m.decision.matchings.Get().(*Matching)
	if !ok {
		d := m.decision
		x = &Matching{
			of: d, texts: make([]foundText, len(d.attributes)), held: make([]heldRule, len(d.rules)), set: make([]uint64, len(d.always)),
		}
	}
	x.monitors = m
	x.now++
	x.since[ofResource] = x.now
	return x
}

// Release ends the use of x.
func (x *Matching) Release() {
	for i := range x.texts {
		x.texts[i].text = "" // it keeps its span in memory
	}
	clear(x.list)
	x.monitors, x.attributes = nil, nil
	x.of.matchings.Put(x)
}

// Match looks at another span and returns the monitors of which all rules hold but
// those that read verdicts. The list is valid until the next call.
func (x *Matching) Match(a Attributes) []Match {
	x.attributes = a
	x.now++
	x.since[ofSpan], x.since[ofVerdicts] = x.now, x.now
	copy(x.set, x.of.always)
	for i := range x.of.byText {
		g := &x.of.byText[i]
		if f := x.find(g.attribute); f.present {
			x.add(g.monitors[f.text])
		}
	}
	for i := range x.of.byTest {
		if g := &x.of.byTest[i]; x.holds(g.rule) {
			x.add(g.monitors)
		}
	}
	x.list = x.list[:0]
	for i, word := range x.set {
		for ; word != 0; word &= word - 1 {
			place := 64*i + bits.TrailingZeros64(word)
			x.list = append(x.list, Match{x.monitors.List[place], place})
		}
	}
	return x.list
}

// add puts those monitors into the set of which all other rules hold.
func (x *Matching) add(monitors []int) {
	for _, m := range monitors {
		if x.allHold(x.of.rest[m]) {
			x.set[m/64] |= 1 << (m % 64)
		}
	}
}

// Judged says that the span has more verdicts than before.
func (x *Matching) Judged() {
	x.now++
	x.since[ofVerdicts] = x.now
}

// MatchVerdicts reports whether those rules of a match hold that read the verdicts
// which the span has by now.
func (x *Matching) MatchVerdicts(m Match) bool { return x.allHold(x.of.onVerdicts[m.place]) }

func (x *Matching) allHold(rules []int) bool {
	for _, r := range rules {
		if !x.holds(r) {
			return false
		}
	}
	return true
}

func (x *Matching) holds(rule int) bool {
	r, h := &x.of.rules[rule], &x.held[rule]
	if h.at < x.since[x.of.attributes[r.attribute].class] {
		f := x.find(r.attribute)
		h.at, h.holds = x.now, r.Operator.Holds(f.text, f.present, r.text, r.Values)
	}
	return h.holds
}

func (x *Matching) find(attribute int) *foundText {
	a, f := &x.of.attributes[attribute], &x.texts[attribute]
	if f.at < x.since[a.class] {
		f.at = x.now
		if a.class == ofResource {
			f.text, f.present = x.attributes.ResourceAttribute(a.key)
		} else {
			f.text, f.present = x.attributes.SpanAttribute(a.key)
		}
	}
	return f
}
