// SPDX-License-Identifier: Apache-2.0

package tables

import "hash/maphash"

// textDictionary knows the ids of the texts of a partition that were written or asked
// for lately. As with dictionary, a text that was forgotten is written once more.
type textDictionary struct {
	next       int64
	young, old map[textKey]int64
}

// textKey stands for a text of an environment, by its code: no two environments share
// one, and no prompt and completion. The hashes have seeds of this process, so that
// no client can make texts that have the same.
type textKey struct {
	env  int32
	kind textKind
	a, b uint64
}

// textKind is which column of texts has a text.
type textKind bool

const (
	ofPrompts     textKind = false
	ofCompletions textKind = true
)

var textSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// textsRemembered is how many texts one generation has at most, of 50 bytes each, about.
const textsRemembered = 64 << 10

// id returns the id of a text of an environment, and whether it is yet to be written.
func (d *textDictionary) id(env int32, kind textKind, text string) (int64, bool) {
	k := textKey{env: env, kind: kind, a: maphash.String(textSeeds[0], text), b: maphash.String(textSeeds[1], text)}
	if id, found := d.young[k]; found {
		return id, false
	}
	id, found := d.old[k]
	if !found {
		id = d.next
		d.next++
	}
	if d.young == nil || len(d.young) >= textsRemembered {
		d.young, d.old = map[textKey]int64{}, d.young
	}
	d.young[k] = id
	return id, !found
}

func (d *textDictionary) forget() { d.young, d.old = nil, nil }
