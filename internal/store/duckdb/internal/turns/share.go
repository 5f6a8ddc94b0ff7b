// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"cmp"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// line is what waits of one environment, in the order in which it came.
type line struct {
	env    tenant.EnvironmentID
	list   []*Request
	bytes  int // in the group that is made
	served int // the number of the last group that had something of it
}

// next returns how many bytes the first that waits has, 0 if none does.
func (l *line) next() int {
	if len(l.list) == 0 {
		return 0
	}
	return l.list[0].Bytes
}

// share divides what waits into a group and the rest, in the order in which it came.
// What comes next into the group is of the environment that has the least in it, or
// has been in none for longest, or whose next request is smallest: so no request waits for all that another sends.
func (q *Queue) share(most limits) (group, rest []*Request) {
	q.groups++
	lines := q.lines()
	taken := map[*Request]bool{}
	records, bytes := 0, 0
	for {
		l := slices.MinFunc(lines, func(a, b *line) int {
			return cmp.Or(compareBool(len(a.list) == 0, len(b.list) == 0), cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.served, b.served), cmp.Compare(a.next(), b.next()))
		})
		if len(l.list) == 0 {
			break
		}
		r := l.list[0]
		records += r.Rows()
		bytes += r.Bytes
		if len(group) > 0 && (records > most.records || bytes > most.bytes) {
			break
		}
		group = append(group, r)
		taken[r] = true
		l.list, l.bytes, l.served = l.list[1:], l.bytes+r.Bytes, q.groups
	}
	for _, r := range q.waiting {
		if !taken[r] {
			rest = append(rest, r)
		}
	}
	q.served = map[tenant.EnvironmentID]int{}
	for _, l := range lines {
		if len(l.list) > 0 {
			q.served[l.env] = l.served
		}
	}
	return group, rest
}

// lines returns what waits by environment, in the order of the first of each.
func (q *Queue) lines() []*line {
	index := map[tenant.EnvironmentID]*line{}
	var lines []*line
	for _, r := range q.waiting {
		env := r.Environment()
		l := index[env]
		if l == nil {
			l = &line{env: env, served: q.served[env]}
			index[env] = l
			lines = append(lines, l)
		}
		l.list = append(l.list, r)
	}
	return lines
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
