// SPDX-License-Identifier: Apache-2.0

package duckdb

import "encoding/binary"

// dictionary remembers which rows of one of a partition's small tables were
// written lately, by content. It forgets: a row is then written once more,
// under another id, which costs space and nothing else. So whatever clients
// send, its memory is bounded and nothing is refused.
type dictionary struct {
	next       int32
	young, old map[string]int32
	youngs     int // bytes of the keys in young
}

// dictionaryBytes bounds the keys of one generation.
const dictionaryBytes = 256 << 10

// id gives the row with this content, and whether it is yet to be written.
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

// dictionaries are those of one partition.
type dictionaries struct {
	origins, shapes, judgements dictionary
}

// forget is for when it is not known what was written.
func (d *dictionaries) forget() {
	d.origins.forget()
	d.shapes.forget()
	d.judgements.forget()
}

// appendText appends s such that no two lists of texts have the same bytes.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
