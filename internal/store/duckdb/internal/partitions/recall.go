// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	lru "github.com/hashicorp/golang-lru/v2"
)

// Of what does not change in a partition queries remember what they read last: to find
// it again costs a statement of one or two milliseconds in each of its files.
const (
	recalledMost  = 8192 // of all partitions
	recalledBytes = 4096 // of each, about; what is larger is read again
)

// recallKey says what was read, and of which partition; copies of its file, which may
// give numbers again, count as others.
type recallKey struct {
	serial, copy int64
	kind, name   string
	number       int64
}

type recalled = lru.Cache[recallKey, any]

func newRecalled() *recalled {
	c, err := lru.New[recallKey, any](recalledMost)
	if err != nil { // the size is not positive
		panic(err)
	}
	return c
}

// Recall is what is remembered of one partition. What is put must never change: rows
// that were committed and that nothing alters, or what goes with a number that grows
// with every change.
type Recall struct {
	all *recalled
	key recallKey
}

// Recall returns what is remembered of the partition that the connection is in.
func (q *Querier) Recall() Recall {
	return Recall{all: q.files.recalled, key: recallKey{serial: q.at.Serial, copy: q.at.copies.Load()}}
}

const indexKind = "index"

// IsIndexed reports whether the partition that the connection is in is known to have an
// index, which is there then for all that the connection sees. An index that was made
// since counts as none.
func (q *Querier) IsIndexed() bool { return q.indexed }

// SetIndexed notes that the connection sees an index of the partition that it is in. It
// stays as long as the file does.
func (q *Querier) SetIndexed() {
	q.indexed = true
	q.Recall().Put(indexKind, "", 0, true, 0)
}

// Get returns what was put of this kind under this name and number.
func (r Recall) Get(kind, name string, number int64) (any, bool) {
	r.key.kind, r.key.name, r.key.number = kind, name, number
	return r.all.Get(r.key)
}

// Put remembers a value that takes so many bytes of memory, about, for some time.
func (r Recall) Put(kind, name string, number int64, value any, bytes int) {
	if bytes += len(name); bytes > recalledBytes {
		return
	}
	r.key.kind, r.key.name, r.key.number = kind, name, number
	r.all.Add(r.key, value)
}
