// SPDX-License-Identifier: Apache-2.0

package turns

import "time"

const (
	// spacingSlice is the time from the beginning of a small commit to that of the
	// next, at least, while several senders are at work. A commit costs some
	// milliseconds of CPU whatever is in it.
	spacingSlice = 50 * time.Millisecond
	// spacingRows and spacingBytes are from how many rows or bytes on a commit is not small.
	spacingRows  = 512
	spacingBytes = shortBytes / 4
	// spacingMemory is for how long it is remembered that several were at work.
	spacingMemory = time.Second
)

// spacing spaces small commits, so that those of many senders become one. Who sends
// alone, one request after the other's answer, never waits.
type spacing struct {
	began     time.Time // the last commit
	contended time.Time // when last somebody waited while another's commit was under way
}

// wait waits until the next commit may begin: at once where it will not be small.
func (p *spacing) wait(small func() bool) {
	if time.Since(p.contended) > spacingMemory || !small() {
		return
	}
	if left := spacingSlice - time.Since(p.began); left > 0 {
		time.Sleep(left)
	}
}

// begin notes that a group is committed now.
func (p *spacing) begin(group []*Request) {
	p.began = time.Now()
	if len(group) > 1 {
		p.contended = p.began
	}
}

// end notes how many came while it was.
func (p *spacing) end(waiting int) {
	if waiting > 0 {
		p.contended = time.Now()
	}
}
