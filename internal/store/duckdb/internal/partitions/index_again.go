// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// indexMost is after how long an index that could not be made is tried again, at
// most. The first time it is after Idle.
const indexMost = time.Hour

// unindexed are the partitions whose index could not be made.
type unindexed struct {
	idle time.Duration

	mu   sync.Mutex
	list map[*Partition]failure
}

type failure struct {
	times int // how often in a row
	again time.Time
}

// failed notes that the index of a partition could not be made.
func (u *unindexed) failed(p *Partition, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	times := u.list[p].times + 1
	u.list[p] = failure{times: times, again: now.Add(pace.Doubled(u.idle, indexMost, times))}
}

// forget notes that the index of a partition is not to be made, or no more.
func (u *unindexed) forget(p *Partition) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.list, p)
}

// due returns the partitions whose index is to be tried again.
func (u *unindexed) due(now time.Time) (list []*Partition) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for p, x := range u.list {
		if !now.Before(x.again) {
			list = append(list, p)
		}
	}
	return list
}

// indexAgain makes the indexes that could not be made before.
func (f *Files) indexAgain(ending <-chan struct{}) {
	for _, p := range f.unindexed.due(time.Now()) {
		if !p.Hold() {
			f.unindexed.forget(p) // gone, with all its spans
			continue
		}
		f.Index(ending, p)
		p.Release()
	}
}
