// SPDX-License-Identifier: Apache-2.0

package store

import "sync"

// ledger tells the changes that this process made from those of others:
// Control.Changes knows only the sum of them.
type ledger struct {
	mu       sync.Mutex
	own      int64 // changes that this process made for certain
	underway int64 // its writes of which that is not known yet
	known    int64 // changes of others that memory holds
}

// begin is called before the control store is asked to write, and end when
// memory has followed; changed tells that exactly one change was made. One that
// nobody is certain of counts as another's.
func (t *ledger) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.underway++
}

func (t *ledger) end(changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.underway--
	if changed {
		t.own++
	}
}

// certain gives what others is to be told.
func (t *ledger) certain() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.own
}

// others says of a sum that the control store gave after own was certain, how
// many changes in it others made at least and at most, and how many of those
// memory holds.
func (t *ledger) others(sum, own int64) (least, most, known int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return sum - t.own - t.underway, sum - own, t.known
}

// learn notes that memory holds so many changes of others.
func (t *ledger) learn(known int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known = known
}
