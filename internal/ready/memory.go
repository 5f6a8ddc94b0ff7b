// SPDX-License-Identifier: Apache-2.0

package ready

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Memory holds what the traces of one environment usually do. It is bounded, starts empty,
// and is for one goroutine. The zero value is ready to use.
type Memory struct {
	services map[uint64]*delays // by the hash of their name
	habits   map[uint64]*tally  // by the hash of what may happen, to whom
}

// Bounds of a Memory. Where one is reached, something else is forgotten.
const (
	maxServices = 64
	maxHabits   = 1024
	maxDelays   = 64  // of one service
	maxTally    = 256 // then both counts are halved, so that changes are noticed
)

// How often something must have been seen until its share says something, and what the
// shares mean.
const (
	learnt    = 20
	learntFew = 5 // of what costs a long wait until then
	rarely    = 0.05
	seldom    = 0.5
	usually   = 0.9
)

// happening is something that may happen to the spans of one name, or to the calls of one
// tool.
type happening byte

const (
	parentCame   happening = iota
	childCame              // from another process
	callAnswered           // of a tool
	callAsked              // that a span of a tool runs
	disordered             // spans of a service arrived before some that had ended before
)

type tally struct{ seen, came int }

// delays are the latest times from the end of a span to its arrival, which includes what
// the clock of the service is off.
type delays struct {
	list  []int64
	next  int   // place that is written next
	most  int64 // the delay of nearly all
	fresh bool  // most is that of list
}

// Learn takes in the spans of a trace that counts as complete. One that still grows at its
// deadline says nothing.
func (m *Memory) Learn(spans []Span, by Reason, now int64) {
	t := read(spans)
	if by == Deadline && now-t.last < int64(quietLeast) {
		return
	}
	m.learnOrder(spans)
	for i := range spans {
		s := &spans[i]
		if s.Arrived != 0 {
			m.learnDelay(s.Service, s.Arrived-s.End)
		}
		for _, c := range s.Calls {
			m.note(callAnswered, s.Service, c.Tool, t.answered[c.ID])
		}
		if s.Runs != "" {
			m.note(callAsked, s.Service, s.Name, t.asked[s.Runs])
		}
		if s.Kind == clientKind {
			m.note(childCame, s.Service, s.Name, t.served[s.ID])
		}
		if s.Parent != (span.ID{}) {
			m.note(parentCame, s.Service, s.Name, !slices.Contains(t.tops, s))
		}
	}
}

// learnOrder notes of each service that sent several batches whether they came in order.
func (m *Memory) learnOrder(spans []Span) {
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.End, b.End))
	})
	for i := 0; i < len(sorted); {
		first, several, back := &sorted[i], false, false
		for i++; i < len(sorted) && sorted[i].Service == first.Service; i++ {
			several = several || sorted[i].Arrived != first.Arrived
			back = back || sorted[i].Arrived < sorted[i-1].Arrived
		}
		if several {
			m.note(disordered, first.Service, "", back)
		}
	}
}

// seed makes hashes unpredictable. Names have any length, and only their hashes are kept.
var seed = maphash.MakeSeed()

// hash returns a key of habits.
func (h happening) hash(service, name string) uint64 {
	var b maphash.Hash
	b.SetSeed(seed)
	_ = b.WriteByte(byte(h))
	_, _ = b.WriteString(service)
	_ = b.WriteByte(0)
	_, _ = b.WriteString(name)
	return b.Sum64()
}

func (m *Memory) note(of happening, service, name string, came bool) {
	if m.habits == nil {
		m.habits = map[uint64]*tally{}
	}
	h := of.hash(service, name)
	x := m.habits[h]
	if x == nil {
		forgetOne(m.habits, maxHabits)
		x = &tally{}
		m.habits[h] = x
	}
	if x.seen++; came {
		x.came++
	}
	if x.seen == maxTally {
		x.seen, x.came = x.seen/2, x.came/2
	}
}

// share returns how often something could have happened, and the share in which it did.
func (m *Memory) share(of happening, service, name string) (seen int, share float64) {
	x := m.habits[of.hash(service, name)]
	if x == nil {
		return 0, 0
	}
	return x.seen, float64(x.came) / float64(x.seen)
}

func (m *Memory) learnDelay(service string, delay int64) {
	if m.services == nil {
		m.services = map[uint64]*delays{}
	}
	h := maphash.String(seed, service)
	d := m.services[h]
	if d == nil {
		forgetOne(m.services, maxServices)
		d = &delays{}
		m.services[h] = d
	}
	if d.fresh = false; len(d.list) < maxDelays {
		d.list = append(d.list, delay)
		return
	}
	d.list[d.next] = delay
	d.next = (d.next + 1) % maxDelays
}

// delay returns the time within which nearly all spans of a service arrive after their
// end, and whether that is known.
func (m *Memory) delay(service string) (delay int64, known bool) {
	d := m.services[maphash.String(seed, service)]
	if d == nil || len(d.list) < learnt {
		return 0, false
	}
	if !d.fresh {
		sorted := slices.Sorted(slices.Values(d.list))
		d.most, d.fresh = sorted[len(sorted)*98/100], true
	}
	return d.most, true
}

// forgetOne makes room in a full map.
func forgetOne[K comparable, V any](of map[K]V, most int) {
	if len(of) < most {
		return
	}
	for k := range of {
		delete(of, k)
		return
	}
}
