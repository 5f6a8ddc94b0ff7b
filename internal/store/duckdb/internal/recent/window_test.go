// SPDX-License-Identifier: Apache-2.0

package recent

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestWindowForgetsTheOldest(t *testing.T) {
	t.Parallel()
	const serial = 3
	w := New(8)
	w.Begin(serial)
	env := w.Number("env")
	key := func(i int) Key {
		return Key{Env: env, Span: span.Identity{SpanID: span.ID{byte(i)}, Bucket: span.Bucket(i)}}
	}
	for i := range 100 {
		w.Put(key(i), Place{Serial: serial, Seq: uint32(i)})
		for j := range i + 1 {
			p, found := w.Find(key(j))
			require.Equal(t, !found, w.Misses(serial, env, span.Bucket(j)), "%d of %d", j, i)
			if found {
				require.EqualValues(t, j, p.Seq)
			}
		}
		require.LessOrEqual(t, w.keys.count(), 8)
	}
	require.False(t, w.Misses(serial, w.Number("other"), 0), "nothing of another environment left the window")
	require.True(t, w.Misses(serial+1, env, 0), "of a partition that was not begun nothing is known")
	w.Pass(serial+1, env, 5)
	require.True(t, w.Misses(serial+1, env, 0))
	w.End(serial)
	require.True(t, w.Misses(serial, w.Number("other"), 0))
}

func TestAReplacedSpanLeavesTheWindowOnce(t *testing.T) {
	t.Parallel()
	w := New(4)
	w.Begin(1)
	w.Begin(2)
	moved := Key{Span: span.Identity{SpanID: span.ID{9}, Bucket: 9}}
	w.Put(moved, Place{Serial: 1})
	w.Put(Key{Span: span.Identity{SpanID: span.ID{1}}}, Place{Serial: 1})
	w.Put(moved, Place{Serial: 2}) // later than the other now
	for i := range 8 {
		w.Put(Key{Span: span.Identity{SpanID: span.ID{2, byte(i)}}}, Place{Serial: 2})
	}
	require.False(t, w.Misses(1, 0, 9), "its old row is gone")
	require.True(t, w.Misses(2, 0, 9))
}

func (k *keys) count() (n int) {
	for _, block := range k.blocks {
		for i := range block {
			if block[i].group != 0 {
				n++
			}
		}
	}
	return n
}

// remembered is a window of the simplest kind.
type remembered struct {
	keys   []Key // in the order in which they were put
	places map[Key]Place
}

func (m *remembered) remove(k Key) {
	m.keys = slices.DeleteFunc(m.keys, func(x Key) bool { return x == k })
	delete(m.places, k)
}

// TestAWindowAtRandom puts, moves and removes keys, of which many differ in little, and
// compares with a list of all. The window may have fewer: where a key was removed, one is
// missing until others have taken its place.
func TestAWindowAtRandom(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 2, 7, 300, entriesOfBlock + 5, 2 * entriesOfBlock} {
		r := rand.New(rand.NewPCG(uint64(limit), 2))
		w := New(limit)
		for serial := range uint32(4) {
			w.Begin(serial)
		}
		m := remembered{places: map[Key]Place{}}
		for i := range 3*limit + 1000 {
			k := Key{Env: r.Uint32N(3), Span: span.Identity{SpanID: span.ID{byte(r.IntN(4))}, Bucket: span.Bucket(r.IntN(limit))}}
			k.Span.TraceID[15] = byte(r.IntN(4))
			if r.IntN(10) == 0 && limit < entriesOfBlock {
				serial := r.Uint32N(4)
				if m.places[k].Serial == serial {
					m.remove(k)
				}
				w.Remove(k, serial)
				continue
			}
			p := Place{Serial: r.Uint32N(4), Seq: uint32(i), Content: r.Uint64()}
			w.Put(k, p)
			if limit < entriesOfBlock {
				m.remove(k)
				m.keys = append(m.keys, k)
			}
			m.places[k] = p
		}
		known := 0
		for k, want := range m.places {
			p, found := w.Find(k)
			if found {
				known++
				require.Equal(t, want, p)
			} else {
				require.True(t, w.Misses(want.Serial, k.Env, k.Span.Bucket), "what is not in the window is known to be missing")
			}
		}
		require.Equal(t, w.keys.count(), known, "it has nothing else")
		require.LessOrEqual(t, known, limit)
		require.GreaterOrEqual(t, known, min(len(m.places), limit)/2)
		if limit < entriesOfBlock && known > 0 {
			_, found := w.Find(m.keys[len(m.keys)-1])
			require.True(t, found, "the last")
		}
	}
}

// TestGroupsAreBounded puts spans of which no two start in the same bucket.
func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	w := New(3 * mostGroups)
	w.Begin(0)
	for i := range 5 * mostGroups {
		w.Put(Key{Span: span.Identity{Bucket: span.Bucket(i)}}, Place{Seq: uint32(i)})
		require.LessOrEqual(t, len(w.keys.groups.all), mostGroups+1)
	}
	require.Equal(t, mostGroups, w.keys.count(), "those that came last")
	for i := range 5 * mostGroups {
		_, found := w.Find(Key{Span: span.Identity{Bucket: span.Bucket(i)}})
		require.Equal(t, i >= 4*mostGroups, found)
		require.Equal(t, !found, w.Misses(0, 0, span.Bucket(i)))
	}
}

func BenchmarkWindow(b *testing.B) {
	w := New(400_000)
	w.Begin(1)
	b.ReportAllocs()
	n := uint64(0)
	for b.Loop() {
		n++
		k := Key{Env: 1, Span: span.Identity{Bucket: span.Bucket(n / 100_000)}}
		binary.LittleEndian.PutUint64(k.Span.TraceID[:], n/10*0x9e3779b97f4a7c15)
		binary.LittleEndian.PutUint64(k.Span.SpanID[:], n*0x9e3779b97f4a7c15)
		if _, found := w.Find(k); !found {
			w.Put(k, Place{Serial: 1, Seq: uint32(n)})
		}
	}
}
