// SPDX-License-Identifier: Apache-2.0

// Package totals remembers how many spans of an environment matched in each bucket, and which
// parts of the table the bucket lay in then. A part never changes: what is put together of the
// same parts is the same, so that only buckets of other parts have to be counted again.
package totals

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Part is a part of the table. Its name alone may come again after a crash of the server.
type Part struct{ Name, Hash string }

// Count is what was counted of a bucket: spans that match, and those of them that are behind
// the position of a query.
type Count struct{ Bucket, Matching, Behind int64 }

// Question is what is counted.
type Question struct {
	Environment tenant.EnvironmentID
	Condition   string  // all that tells whether a span matches, but for when it started
	From, To    int64   // buckets, of which the first and the last may not be counted as a whole
	Always      []int64 // buckets that have to be counted all the same
}

// Plan says what of a question has to be counted.
type Plan struct {
	// Known are the parts of which it is known which buckets lie in them, and Settled those of
	// which it is remembered what was counted: what lies in no other part, and in one of
	// these, need not be counted. Both are in their order.
	Known   []string
	Settled []Range
	// From and To bound the buckets for which the plan needs to know in which other parts they lie.
	From, To int64

	question   Question
	generation uint64
	parts      map[string]*part
	counts     map[int64]int64
}

// Range is buckets that follow one another, or have nothing between them.
type Range struct{ First, Last int64 }

// Answer is what one statement saw.
type Answer struct {
	Parts  []Part             // all of the table; a hash that could not be had is ""
	In     map[string][]int64 // the buckets of the parts that were not known
	Counts []Count            // of all buckets with spans that match, but for those that were settled and lie in no other part
}

// Bounds of what is remembered.
const (
	mostEnvironments = 256
	mostConditions   = 32
	longestCondition = 16 << 10
	mostBuckets      = 50_000 // of the parts of an environment
)

// vainly is how often it is not looked for what is remembered after that was in vain.
const vainly = 15

// Memory is what one process remembers. Its zero value is empty.
type Memory struct {
	mu   sync.Mutex
	last uint64 // generation
	of   map[tenant.EnvironmentID]*environment
}

// environment is what is remembered of one. It is of one moment of the table.
type environment struct {
	generation uint64 // which no other state of any environment has
	from, to   int64  // the buckets that parts are known by
	parts      map[string]*part
	counts     map[string]map[int64]int64 // by condition and bucket

	seen uint64 // which parts there were when it was asked last
	vain int    // how often it is not worth it to plan
}

// part is a part of the table with the buckets that lie in it. It is never changed.
type part struct {
	hash    string
	buckets []int64
}

// Plan returns what has to be counted for a question.
func (m *Memory) Plan(q Question) *Plan {
	p := &Plan{question: q, From: q.From, To: q.To}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[q.Environment]
	if e == nil || q.From < e.from || q.To > e.to {
		return p
	}
	p.generation, p.parts, p.counts = e.generation, maps.Clone(e.parts), map[int64]int64{}
	p.From, p.To = e.from, e.to
	p.Known = slices.Sorted(maps.Keys(p.parts))
	counted := e.counts[q.Condition]
	var last *Range
	for _, bucket := range e.buckets(q.From, q.To) {
		n, remembered := counted[bucket]
		switch {
		case !remembered || !q.whole(bucket):
			last = nil
			continue
		case last == nil:
			p.Settled = append(p.Settled, Range{First: bucket})
			last = &p.Settled[len(p.Settled)-1]
		}
		last.Last = bucket
		p.counts[bucket] = n
	}
	return p
}

// Settled returns the counts of all buckets in their order, if all of them are remembered and the table
// has the same parts as then.
func (m *Memory) Settled(q Question, parts []Part) (all []Count, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[q.Environment]
	if e == nil || q.From < e.from || q.To > e.to || len(parts) != len(e.parts) {
		return nil, false
	}
	for _, x := range parts {
		if before := e.parts[x.Name]; before == nil || before.hash != x.Hash {
			return nil, false
		}
	}
	counted := e.counts[q.Condition]
	for _, bucket := range e.buckets(q.From, q.To) {
		n, remembered := counted[bucket]
		if !remembered || !q.whole(bucket) {
			return nil, false
		}
		if n > 0 {
			all = append(all, Count{Bucket: bucket, Matching: n})
		}
	}
	return all, true
}

// Worth reports whether it is worth it to plan, for which a statement has more to do: not where
// nearly all was counted again the last time, while parts go on to change.
func (m *Memory) Worth(q Question, parts []Part) bool {
	seen := uint64(0)
	for _, x := range parts {
		seen ^= maphash.String(seed, x.Name+" "+x.Hash) // in any order
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[q.Environment]
	if e == nil {
		return true
	}
	same := e.seen == seen
	e.seen = seen
	if same || e.vain == 0 {
		return true
	}
	e.vain--
	return false
}

var seed = maphash.MakeSeed()

// whole reports whether what is counted of a bucket may be remembered.
func (q *Question) whole(bucket int64) bool {
	return bucket > q.From && bucket < q.To && !slices.Contains(q.Always, bucket)
}

// buckets returns those of a period that lie in any part, in their order.
func (e *environment) buckets(from, to int64) (list []int64) {
	for _, p := range e.parts {
		for _, bucket := range p.buckets {
			if bucket >= from && bucket <= to {
				list = append(list, bucket)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Take takes in what a statement saw that counted what a plan says. It returns the counts of
// all buckets in their order, those that are remembered among them; or that they are not known,
// since a part is gone that a settled bucket lay in, or is another one: then there is another plan. The
// remembered counts do not include how much is behind a position: Behind is 0.
func (m *Memory) Take(p *Plan, a *Answer) (all []Count, known bool) {
	there := make(map[Part]bool, len(a.Parts))
	for _, x := range a.Parts {
		there[x] = true
	}
	left := maps.Clone(p.counts) // what was not counted again
	for _, buckets := range a.In {
		for _, bucket := range buckets {
			delete(left, bucket)
		}
	}
	known = true
	for name, x := range p.parts {
		if !there[Part{name, x.hash}] && slices.ContainsFunc(x.buckets, func(bucket int64) bool { return has(left, bucket) }) {
			known = false
		}
	}
	for _, x := range a.Parts {
		if before := p.parts[x.Name]; before != nil && before.hash != x.Hash {
			known = false // which buckets lie in it was not asked
		}
	}
	m.remember(p, a, there, left)
	if !known {
		return nil, false
	}
	all = slices.Clone(a.Counts)
	for bucket, n := range left {
		if n > 0 {
			all = append(all, Count{Bucket: bucket, Matching: n})
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Compare(a.Bucket, b.Bucket) })
	return all, true
}

// pays reports whether a good part of all was not counted again.
func (a *Answer) pays(left map[int64]int64) bool {
	counted, remembered := int64(0), int64(0)
	for _, c := range a.Counts {
		counted += c.Matching
	}
	for _, n := range left {
		remembered += n
	}
	return counted <= 4*remembered || counted == 0
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, there := m[key]
	return there
}

// remember takes in an answer, unless another one was since the plan was made. Left is what
// was not counted.
func (m *Memory) remember(p *Plan, a *Answer, there map[Part]bool, left map[int64]int64) {
	q := &p.question
	if len(q.Condition) > longestCondition {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.of[q.Environment]
	switch {
	case p.generation != 0 && (e == nil || e.generation != p.generation):
		return
	case p.generation == 0 && e != nil && q.From >= e.from && q.To <= e.to:
		return // another one began with as much
	case p.generation == 0:
		e = &environment{from: q.From, to: q.To, parts: map[string]*part{}, counts: map[string]map[int64]int64{}}
	}
	if m.of == nil || len(m.of) >= mostEnvironments && m.of[q.Environment] == nil {
		m.of = map[tenant.EnvironmentID]*environment{}
	}
	if len(p.counts) > 0 && !a.pays(left) {
		e.vain = vainly
	}
	m.last++
	e.generation = m.last
	m.of[q.Environment] = e
	if unsure, sure := e.update(p, a, there); sure {
		e.note(q, a, func(bucket int64) bool { return !unsure[bucket] && !has(left, bucket) })
	}
	if e.size() > mostBuckets {
		delete(m.of, q.Environment)
	}
}

// update replaces the parts by those of an answer, and forgets what was counted of buckets of
// which the parts are others. A part without a hash stays unknown, and so are the buckets that
// it has unsure; where one has the name of another it is not even known which these are.
func (e *environment) update(p *Plan, a *Answer, there map[Part]bool) (unsure map[int64]bool, sure bool) {
	forget := func(buckets []int64) {
		for _, counts := range e.counts {
			for _, bucket := range buckets {
				delete(counts, bucket)
			}
		}
	}
	for name, x := range e.parts {
		if !there[Part{name, x.hash}] {
			forget(x.buckets)
			delete(e.parts, name)
		}
	}
	unsure, sure = map[int64]bool{}, true
	for _, x := range a.Parts {
		switch before := p.parts[x.Name]; {
		case before != nil:
			sure = sure && before.hash == x.Hash
			continue
		case x.Hash != "":
			e.parts[x.Name] = &part{x.Hash, a.In[x.Name]}
		}
		forget(a.In[x.Name])
		for _, bucket := range a.In[x.Name] {
			unsure[bucket] = unsure[bucket] || x.Hash == ""
		}
	}
	return unsure, sure
}

// note remembers what was counted of the buckets that it may be remembered of.
func (e *environment) note(q *Question, a *Answer, may func(bucket int64) bool) {
	counts := e.counts[q.Condition]
	if counts == nil {
		for condition := range e.counts {
			if len(e.counts) < mostConditions {
				break
			}
			delete(e.counts, condition)
		}
		counts = map[int64]int64{}
		e.counts[q.Condition] = counts
	}
	matching := make(map[int64]int64, len(a.Counts))
	for _, c := range a.Counts {
		matching[c.Bucket] = c.Matching
	}
	for _, bucket := range e.buckets(q.From, q.To) {
		if may(bucket) && q.whole(bucket) {
			counts[bucket] = matching[bucket]
		}
	}
}

// size is how much is remembered.
func (e *environment) size() (n int) {
	for _, p := range e.parts {
		n += len(p.buckets)
	}
	for _, counts := range e.counts {
		n += len(counts)
	}
	return n
}
