// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"maps"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// spacingSlice is the time from the beginning of a small commit to that of the
	// next, at least, while several senders are at work. A commit costs some
	// milliseconds of CPU whatever is in it.
	spacingSlice = 50 * time.Millisecond
	// journalSlice is the same where the last group went into the journal, which costs a
	// tenth of a commit. With 10 ms a request of one span cost a seventh more of the CPU of the
	// whole process, and with 50 nothing less.
	journalSlice = 25 * time.Millisecond
	// spacingRows and spacingBytes are from how many rows or bytes on a commit is not small.
	spacingRows  = 512
	spacingBytes = shortBytes / 4
	// spacingMemory is for how long it is remembered that several were at work.
	spacingMemory = time.Second
	// spacingOwn is how many commits a second an environment may have something in before
	// what it sends waits, and spacingAll how many there may be a second for none to wait:
	// half of the first, and a quarter of the second, may come at once.
	spacingOwn = 20
	spacingAll = 40
)

// spacing spaces small commits, so that those of many senders become one. Who sends
// alone, one request after the other's answer, never waits, and neither does an
// environment that sends seldom, however often others do.
type spacing struct {
	began     time.Time                             // the last commit
	slice     time.Duration                         // from then to the next
	contended time.Time                             // when a sender last waited while another's commit was under way
	own       map[tenant.EnvironmentID]*pace.Bucket // commits that environments may have; nil where it is full
	all       *pace.Bucket                          // likewise of all together; nil before the first
}

// wait waits until the commit of what is in line may begin: at once where it will not be
// small, or where something in it is of an environment that had few.
func (p *spacing) wait(line *Queue) {
	if time.Since(p.contended) > spacingMemory {
		return
	}
	timer := time.NewTimer(p.slice - time.Since(p.began))
	defer timer.Stop()
	for time.Since(p.began) < p.slice && line.isSmall() && !line.some(p.mayCommit) {
		select {
		case <-timer.C:
		case <-line.arrived:
		}
	}
}

// mayCommit reports whether an environment, and all of them together, have had few commits.
func (p *spacing) mayCommit(env tenant.EnvironmentID) bool {
	now := time.Now()
	own := p.own[env]
	return (own == nil || own.Wait(now) == 0) && (p.all == nil || p.all.Wait(now) == 0)
}

// begin notes that a group is committed now.
func (p *spacing) begin(group []*Request) {
	p.began = time.Now()
	if len(group) > 1 {
		p.contended = p.began
	}
	maps.DeleteFunc(p.own, func(_ tenant.EnvironmentID, b *pace.Bucket) bool { return b.Full(p.began) })
	if p.own == nil {
		p.own, p.all = map[tenant.EnvironmentID]*pace.Bucket{}, pace.NewBucket(spacingAll, spacingAll/4)
	}
	spend(p.all, p.began)
	seen := map[tenant.EnvironmentID]bool{}
	for _, r := range group {
		env := r.Environment()
		if seen[env] {
			continue
		}
		seen[env] = true
		if p.own[env] == nil {
			p.own[env] = pace.NewBucket(spacingOwn, spacingOwn/2)
		}
		spend(p.own[env], p.began)
	}
}

// spend takes one from a bucket that has one.
func spend(b *pace.Bucket, now time.Time) {
	if b.Wait(now) == 0 {
		b.Take(now, 1)
	}
}

// end notes whether the group was journalled, and how many came while it was.
func (p *spacing) end(group []*Request, waiting int) {
	p.slice = spacingSlice
	if group[0].Journalled {
		p.slice = journalSlice
	}
	if waiting > 0 {
		p.contended = time.Now()
	}
}
