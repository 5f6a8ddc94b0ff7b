// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// Of so many spans verdicts are made again while writers wait, and by one statement,
// which names each of them several times.
const (
	fewJudged  = 500
	mostJudged = 4000
)

// notes are the spans that were written to while the index of their partition is
// made, for the caller that has locked it.
type notes struct {
	judged  []int64 // that evaluations were added to
	deleted []int64
}

// beginNotes has what is written noted from now on, in place of what was.
func (p *Partition) beginNotes() { p.notes = &notes{} }

// endNotes has nothing noted any more.
func (p *Partition) endNotes() {
	p.Lock()
	defer p.Unlock()
	p.notes = nil
}

// add takes in what a commit changed.
func (n *notes) add(c Change) {
	if n != nil {
		n.judged = append(n.judged, c.Judged...)
		n.deleted = append(n.deleted, c.Deleted...)
	}
}

// statements returns those that bring an index in step with the notes.
func (n *notes) statements(p *Partition) (list []string) {
	slices.Sort(n.judged)
	for some := range slices.Chunk(slices.Compact(n.judged), mostJudged) {
		list = append(list, index.Renewed(p.Alias(), some))
	}
	if len(n.deleted) > 0 {
		list = append(list, index.Gone(p.Alias(), sqltext.Numbers(n.deleted)))
	}
	return list
}
