// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// rememberedBytes bounds the memory of what queries came to, about.
const rememberedBytes = 16 << 20

// remembered keeps what queries came to in single files until these change, the least used
// go first. A file that takes in no more spans changes by late evaluations, replaced spans
// and deletion alone.
type remembered struct {
	mu    sync.Mutex
	list  *simplelru.LRU[rememberedKey, rememberedValue]
	bytes int
}

// rememberedKey says what was asked of which partition.
type rememberedKey struct {
	serial, copy int64 // copies of a file count as others
	what         string
}

// rememberedValue is what it came to after so many commits.
type rememberedValue struct {
	changes int64
	value   any
	bytes   int
}

func newRemembered() *remembered {
	r := &remembered{}
	list, err := simplelru.NewLRU(math.MaxInt, func(_ rememberedKey, v rememberedValue) { r.bytes -= v.bytes })
	if err != nil { // the size is not positive
		panic(err)
	}
	r.list = list
	return r
}

func (r *remembered) get(k rememberedKey, changes int64) (any, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, found := r.list.Get(k); found && v.changes == changes {
		return v.value, true
	}
	return nil, false
}

func (r *remembered) put(k rememberedKey, v rememberedValue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list.Remove(k)
	r.list.Add(k, v)
	for r.bytes += v.bytes; r.bytes > rememberedBytes; {
		r.list.RemoveOldest()
	}
}

// Remembered returns what was remembered of a partition as it is now, whose file need not be
// attached for that.
func (q *Querier) Remembered(p *Partition, what string) (any, bool) {
	return q.files.remembered.get(rememberedKey{p.Serial, p.copies.Load(), what}, p.Changes())
}

// Remember keeps a value of the partition that the connection is in, which takes so many bytes of
// memory and never changes, until something is committed to the partition that the
// connection did not see for certain.
func (q *Querier) Remember(what string, value any, bytes int) {
	bytes += len(what)
	q.files.remembered.put(rememberedKey{q.at.Serial, q.at.copies.Load(), what}, rememberedValue{q.changes, value, bytes})
}
