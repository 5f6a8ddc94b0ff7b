// SPDX-License-Identifier: Apache-2.0

package store

import (
	"hash/maphash"
	"iter"
	"maps"
)

const tableShards = 256

// table is an immutable map in shards: a changed copy of it shares all shards
// but those that changed, so a change costs the same whether it holds ten
// entries or ten thousand.
type table[K comparable, V any] struct {
	seed   maphash.Seed
	shards [tableShards]map[K]V
}

func newTable[K comparable, V any]() *table[K, V] {
	return &table[K, V]{seed: maphash.MakeSeed()}
}

func (t *table[K, V]) shard(k K) int {
	return int(maphash.Comparable(t.seed, k) % tableShards)
}

func (t *table[K, V]) get(k K) (V, bool) {
	v, ok := t.shards[t.shard(k)][k]
	return v, ok
}

// with gives a copy that has these entries too.
func (t *table[K, V]) with(entries iter.Seq2[K, V]) *table[K, V] {
	next := *t
	var own [tableShards]bool
	for k, v := range entries {
		i := t.shard(k)
		if !own[i] {
			own[i] = true
			next.shards[i] = maps.Clone(t.shards[i])
			if next.shards[i] == nil {
				next.shards[i] = make(map[K]V)
			}
		}
		next.shards[i][k] = v
	}
	return &next
}

// without gives a copy that lacks k.
func (t *table[K, V]) without(k K) *table[K, V] {
	next := *t
	i := t.shard(k)
	next.shards[i] = maps.Clone(t.shards[i])
	delete(next.shards[i], k)
	return &next
}

// all gives every entry, in no order.
func (t *table[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, shard := range t.shards {
			for k, v := range shard {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}
