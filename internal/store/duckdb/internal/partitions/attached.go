// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"slices"
	"sync"
	"time"
)

// openFiles says which files of closed partitions are attached. Those of partitions
// that take in spans are not among them: they always are.
type openFiles struct {
	limit int

	mu    sync.Mutex
	count int          // attached, or about to be
	order []*Partition // attached, those used least lately first
	used  map[*Partition]time.Time
}

func newOpenFiles(limit int) *openFiles {
	return &openFiles{limit: limit, used: map[*Partition]time.Time{}}
}

// reserve takes a place for one more file. If there is none, it returns instead
// a partition whose file is to be closed first, which the caller has exclusively
// until open is called. Where every file is in use it goes beyond the limit.
func (f *openFiles) reserve() (victim *Partition, open func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count >= f.limit {
		victim, open = f.leastUsed()
	}
	if victim == nil {
		f.count++
	}
	return victim, open
}

// release returns a partition whose file is to be closed, like reserve where there is no
// place; nil where every file is in use.
func (f *openFiles) release() (victim *Partition, open func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.leastUsed()
}

// leastUsed returns the partition used least lately of those that are not in use, one without
// a log first. The caller has the lock.
func (f *openFiles) leastUsed() (victim *Partition, open func()) {
	if victim, open = f.unused(func(p *Partition) bool { return p.LogSize() == 0 }); victim == nil {
		victim, open = f.unused(func(*Partition) bool { return true })
	}
	return victim, open
}

// unused returns the partition used least lately of those that are not in use and
// that pass the test, out of order.
func (f *openFiles) unused(test func(*Partition) bool) (victim *Partition, open func()) {
	for i, p := range f.order {
		if !test(p) {
			continue
		}
		if open, alone := p.shutOut(0); alone {
			f.order = slices.Delete(f.order, i, i+1)
			delete(f.used, p)
			return p, open
		}
	}
	return nil, nil
}

// idle returns a partition that was not used since then, like unused.
func (f *openFiles) idle(since time.Time) (victim *Partition, open func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unused(func(p *Partition) bool { return f.used[p].Before(since) })
}

// leave frees a place.
func (f *openFiles) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
}

// attached notes that the file of p is, for which there is a place.
func (f *openFiles) attached(p *Partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.order = append(f.order, p)
	f.used[p] = time.Now()
}

// adopt notes that the file of p, which took in spans so far, stays attached, unless
// it was closed meanwhile.
func (f *openFiles) adopt(p *Partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !p.IsAttached() {
		return
	}
	f.count++
	f.order = append(f.order, p)
	f.used[p] = time.Now()
}

// touch notes that the file of p is being used.
func (f *openFiles) touch(p *Partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.order, p); i >= 0 {
		f.order = append(slices.Delete(f.order, i, i+1), p)
		f.used[p] = time.Now()
	}
}

// drop forgets a partition, whose file is closed now.
func (f *openFiles) drop(p *Partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.order, p); i >= 0 {
		f.order = slices.Delete(f.order, i, i+1)
		delete(f.used, p)
		f.count--
	}
}
