// SPDX-License-Identifier: Apache-2.0

package totals

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// table is a table as the server has it: parts with rows, of which the latest of a key counts.
type table struct {
	parts   map[string][]row
	hashes  map[string]string
	version int
}

type row struct{ bucket, key, version, value int }

func (t *table) add(name string, rows []row) {
	t.version++
	t.parts[name], t.hashes[name] = rows, "hash "+strconv.Itoa(t.version)
}

// counts returns how many rows of each bucket have a value of least or more.
func (t *table) counts(least int) map[int64]int64 {
	latest := map[[2]int]row{}
	for _, rows := range t.parts {
		for _, r := range rows {
			if of := [2]int{r.bucket, r.key}; latest[of].version < r.version {
				latest[of] = r
			}
		}
	}
	counts := map[int64]int64{}
	for _, r := range latest {
		if r.value >= least {
			counts[int64(r.bucket)]++
		}
	}
	return counts
}

// answer does what a statement does that counts what a plan says.
func (t *table) answer(p *Plan, least int, hashed func(name string) bool) *Answer {
	a := &Answer{In: map[string][]int64{}}
	other := map[int64]bool{}
	for name, rows := range t.parts {
		x := Part{Name: name}
		if hashed(name) {
			x.Hash = t.hashes[name]
		}
		a.Parts = append(a.Parts, x)
		if slices.Contains(p.Known, name) {
			continue
		}
		for _, r := range rows {
			if b := int64(r.bucket); b >= p.From && b <= p.To && !slices.Contains(a.In[name], b) {
				a.In[name] = append(a.In[name], b)
				other[b] = true
			}
		}
	}
	for bucket, n := range t.counts(least) {
		settled := slices.ContainsFunc(p.Settled, func(r Range) bool { return bucket >= r.First && bucket <= r.Last })
		if bucket >= p.question.From && bucket <= p.question.To && (!settled || other[bucket]) {
			a.Counts = append(a.Counts, Count{Bucket: bucket, Matching: n, Behind: n})
		}
	}
	return a
}

// Whatever is stored, replaced, merged, deleted and dropped, also between a plan and its
// statement, and under names that were there before: the totals are of what was there when the
// statement saw the table.
func TestTotalsAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	const rounds, steps, buckets, keys = 40, 200, 6, 5
	settled, unknown := 0, 0
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		x := &table{parts: map[string][]row{}, hashes: map[string]string{}}
		var m Memory
		last := 0
		change := func() {
			names := make([]string, 0, len(x.parts))
			for name := range x.parts {
				names = append(names, name)
			}
			slices.Sort(names)
			name := func() string {
				if r.IntN(20) == 0 { // a crash: a name is there again
					return strconv.Itoa(1 + r.IntN(last+1))
				}
				last++
				return strconv.Itoa(last)
			}
			switch n := r.IntN(10); {
			case n < 5 || len(names) == 0:
				var rows []row
				for range 1 + r.IntN(3) {
					x.version++
					rows = append(rows, row{r.IntN(buckets), r.IntN(keys), x.version, r.IntN(3)})
				}
				x.add(name(), rows)
			case n < 8:
				var rows []row
				for range 1 + r.IntN(3) {
					some := names[r.IntN(len(names))]
					rows = append(rows, x.parts[some]...)
					delete(x.parts, some)
				}
				x.add(name(), rows)
			case n < 9: // a mutation leaves some rows
				some := names[r.IntN(len(names))]
				rows := slices.DeleteFunc(slices.Clone(x.parts[some]), func(row) bool { return r.IntN(2) == 0 })
				delete(x.parts, some)
				x.add(some+"m", rows)
			default:
				delete(x.parts, names[r.IntN(len(names))])
			}
		}
		hashed := func(string) bool { return true }
		for range steps {
			for range r.IntN(3) {
				change()
			}
			least := r.IntN(3)
			q := Question{Environment: "env", Condition: strconv.Itoa(least), From: -1, To: buckets}
			if r.IntN(3) == 0 {
				q.From, q.To = int64(r.IntN(buckets)), buckets
			}
			if r.IntN(4) == 0 {
				q.Always = []int64{int64(r.IntN(buckets))}
			}
			var parts []Part
			for name := range x.parts {
				parts = append(parts, Part{name, x.hashes[name]})
			}
			got, known := m.Settled(q, parts)
			if known {
				settled++
			} else {
				for try := 0; !known && try < 3; try++ {
					p := m.Plan(q)
					if try < 2 && r.IntN(2) == 0 {
						change()
					}
					if r.IntN(5) == 0 { // another statement is between, of the same plan or of one of its own
						other := p
						if r.IntN(2) == 0 {
							other = m.Plan(Question{Environment: "env", Condition: "1", From: -1, To: buckets})
							m.Take(other, x.answer(other, 1, hashed))
						} else {
							m.Take(other, x.answer(other, least, hashed))
						}
					}
					sure := hashed
					if r.IntN(10) == 0 {
						sure = func(string) bool { return r.IntN(2) == 0 }
					}
					got, known = m.Take(p, x.answer(p, least, sure))
				}
				if !known {
					unknown++
					continue
				}
			}
			want := []Count{}
			for bucket, n := range x.counts(least) {
				if bucket >= q.From && bucket <= q.To {
					want = append(want, Count{Bucket: bucket, Matching: n})
				}
			}
			slices.SortFunc(want, func(a, b Count) int { return int(a.Bucket - b.Bucket) })
			for i := range got {
				got[i].Behind = 0
			}
			require.Equal(t, want, append([]Count{}, got...), "round %d", round)
		}
	}
	require.Greater(t, settled, rounds*steps/40, "it is remembered")
	require.Less(t, unknown, rounds*steps/10)
}

// What settled buckets have in between is left out with them, and what was counted of
// one condition says nothing of another.
func TestPlansSayWhatIsNotSettled(t *testing.T) {
	t.Parallel()
	var m Memory
	q := Question{Environment: "env", Condition: "a", From: 0, To: 100}
	p := m.Plan(q)
	require.Empty(t, p.Known)
	require.Empty(t, p.Settled)
	parts := []Part{{"1", "x"}, {"2", "y"}}
	_, known := m.Take(p, &Answer{Parts: parts, In: map[string][]int64{"1": {0, 3, 4, 9}, "2": {9, 12, 100}}, Counts: []Count{{Bucket: 9, Matching: 7}}})
	require.True(t, known)

	_, known = m.Settled(q, parts)
	require.False(t, known, "the first bucket and the last one may be counted in part")
	require.Equal(t, []Range{{3, 12}}, m.Plan(q).Settled)
	always := q
	always.Always = []int64{9}
	require.Equal(t, []Range{{3, 4}, {12, 12}}, m.Plan(always).Settled)
	within := q
	within.From, within.To = 1, 50
	all, known := m.Settled(within, parts)
	require.True(t, known)
	require.Equal(t, []Count{{Bucket: 9, Matching: 7}}, all)
	_, known = m.Settled(within, parts[:1])
	require.False(t, known)
	_, known = m.Settled(within, []Part{{"1", "x"}, {"2", "z"}})
	require.False(t, known)
	within.Condition = "b"
	require.Empty(t, m.Plan(within).Settled)
	require.Equal(t, []string{"1", "2"}, m.Plan(within).Known)
	within.Environment = "other"
	require.Empty(t, m.Plan(within).Known)
}

// Where all is counted again and again since parts change it is not planned each time, and it is
// as soon as they do not.
func TestPlansAreNotMadeInVain(t *testing.T) {
	t.Parallel()
	var m Memory
	q := Question{Environment: "env", To: 100}
	n := 0
	planned := func(settles, changes bool) bool {
		if changes {
			n++
		}
		parts := []Part{{"settled", "x"}, {strconv.Itoa(n), "x"}}
		if _, known := m.Settled(q, parts); known || !m.Worth(q, parts) {
			return known
		}
		p := m.Plan(q)
		a := &Answer{Parts: parts, In: map[string][]int64{"settled": {5}, strconv.Itoa(n): {6}}, Counts: []Count{{Bucket: 6, Matching: 100}}}
		if settles {
			a.Counts[0].Matching = 1
		}
		if len(p.Settled) == 0 {
			a.Counts = append(a.Counts, Count{Bucket: 5, Matching: 2})
		} else {
			delete(a.In, "settled")
		}
		m.Take(p, a)
		return true
	}
	for range 10 {
		require.True(t, planned(true, true), "some of it is remembered")
	}
	require.True(t, planned(false, true))
	for range vainly {
		require.False(t, planned(false, true))
	}
	require.True(t, planned(false, true), "again")
	require.False(t, planned(false, true))
	require.True(t, planned(false, false), "nothing changes")
	require.True(t, planned(false, false))
}

// What is remembered is bounded.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var m Memory
	count := func(q Question, buckets ...int64) bool {
		p := m.Plan(q)
		m.Take(p, &Answer{Parts: []Part{{"1", "x"}}, In: map[string][]int64{"1": buckets}})
		_, known := m.Settled(q, []Part{{"1", "x"}})
		return known
	}
	q := Question{Environment: "env", To: 1 << 40}
	for i := range 2 * mostConditions {
		q.Condition = strconv.Itoa(i)
		require.True(t, count(q, 5))
	}
	require.Len(t, m.of["env"].counts, mostConditions)
	for i := range 2 * mostEnvironments {
		q.Environment = tenant.EnvironmentID(strconv.Itoa(i))
		require.True(t, count(q, 5))
		require.LessOrEqual(t, len(m.of), mostEnvironments)
	}
	q.Environment = "large"
	many := make([]int64, mostBuckets)
	for i := range many {
		many[i] = int64(i + 1)
	}
	require.False(t, count(q, many...))
	q.Condition = string(make([]byte, longestCondition+1))
	require.False(t, count(q, 5))
}
