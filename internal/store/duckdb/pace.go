// SPDX-License-Identifier: Apache-2.0

package duckdb

import "time"

const (
	// paceSlice is the time from the beginning of a small commit to that of the
	// next, at least, while several senders are at work. A commit costs some
	// milliseconds of CPU whatever is in it.
	paceSlice = 50 * time.Millisecond
	// paceRows is from how many rows on a commit is not small.
	paceRows = 512
	// paceMemory is for how long it is remembered that several were at work.
	paceMemory = time.Second
)

// pace spaces small commits, so that those of many senders become one. Who sends
// alone, one request after the other's answer, never waits.
type pace struct {
	began     time.Time // the last commit
	rows      int       // in it
	contended time.Time // when last somebody waited while another's commit was under way
}

// wait waits until the next commit may begin.
func (p *pace) wait() {
	if p.rows >= paceRows || time.Since(p.contended) > paceMemory {
		return
	}
	if left := paceSlice - time.Since(p.began); left > 0 {
		time.Sleep(left)
	}
}

// begin notes that a group is committed now.
func (p *pace) begin(group []*request) {
	p.began, p.rows = time.Now(), 0
	for _, r := range group {
		p.rows += r.size()
	}
	if len(group) > 1 {
		p.contended = p.began
	}
}

// end notes how many came while it was.
func (p *pace) end(waiting int) {
	if waiting > 0 {
		p.contended = time.Now()
	}
}
