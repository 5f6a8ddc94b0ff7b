// SPDX-License-Identifier: Apache-2.0

package tables

import "encoding/binary"

// dictionary knows the ids of the rows of one of a partition's small tables that
// were written lately, by their content. Those that are not asked for again it
// forgets: such a row is then written once more, under another id, which costs
// space and nothing else. So whatever clients send, its memory is bounded and
// nothing is refused.
type dictionary struct {
	next       int32
	young, old map[string]int32
	youngs     int // bytes of the keys in young
}

// dictionaryBytes bounds the keys of one generation.
const dictionaryBytes = 256 << 10

// id returns the id of the row with this content, and whether the row is yet to be
// written.
func (d *dictionary) id(content []byte) (int32, bool) {
	if id, found := d.young[string(content)]; found {
		return id, false
	}
	id, found := d.old[string(content)]
	if !found {
		id = d.next
		d.next++
	}
	if d.young == nil || d.youngs+len(content) > dictionaryBytes {
		d.young, d.old, d.youngs = map[string]int32{}, d.young, 0
	}
	d.young[string(content)] = id
	d.youngs += len(content)
	return id, !found
}

func (d *dictionary) forget() { d.young, d.old, d.youngs = nil, nil, 0 }

// Dictionaries are those of one partition, by table. The ids that they hand out are
// for its writer alone.
type Dictionaries struct {
	origins, shapes, judgements dictionary
	texts                       textDictionary
}

// Numbering says which ids the next rows of a partition's small tables get, and the next
// text.
type Numbering struct {
	Origins, Shapes, Judgements int32
	Texts                       int64
}

// NewDictionaries returns dictionaries that know no rows and number new ones from
// n on.
func NewDictionaries(n Numbering) *Dictionaries {
	return &Dictionaries{
		origins: dictionary{next: n.Origins}, shapes: dictionary{next: n.Shapes}, judgements: dictionary{next: n.Judgements},
		texts: textDictionary{next: n.Texts},
	}
}

// Numbering returns which ids new rows get.
func (d *Dictionaries) Numbering() Numbering {
	return Numbering{Origins: d.origins.next, Shapes: d.shapes.next, Judgements: d.judgements.next, Texts: d.texts.next}
}

// Forget lets every row be written once more: for when it is not known whether
// those that are known were.
func (d *Dictionaries) Forget() {
	d.origins.forget()
	d.shapes.forget()
	d.judgements.forget()
	d.texts.forget()
}

// appendText appends s such that no two lists of texts have the same bytes.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
