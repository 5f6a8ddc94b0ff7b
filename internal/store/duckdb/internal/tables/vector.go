// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"errors"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// The driver's own Appender boxes every value, searches maps linearly and
// crosses into C once per text. What is written here is laid out as the engine
// keeps it instead: numbers straight into the vectors, and the texts of a
// whole chunk handed over in one piece, with the vectors pointing into it. The
// layout is described at https://duckdb.org/docs/stable/clients/c/vector, appending
// chunks at https://duckdb.org/docs/stable/clients/c/appender.

const (
	chunkRows  = 2048    // what the engine calls its vector size
	chunkBytes = 2 << 20 // of text; a chunk is closed early at this size

	inlined = 12 // texts up to this length lie in the vector itself
)

// text is the engine's layout of a string: a length, then either the bytes
// themselves or their first four and where they are.
type text struct {
	length uint32
	prefix [4]byte
	at     uint64 // the rest of an inlined text, or an address outside Go
}

// entry is the engine's layout of a list: a slice of the child vector.
type entry struct{ offset, length uint64 }

// values collects those of one column of a chunk.
type values struct {
	kind  mapping.Type
	ints  []int64 // of a column of numbers, or the elements of a list column
	small []int32
	reals []float64
	texts []text // of a text column, or the elements of a list column
	lists []entry
}

// table appends rows to one table of a partition, chunk by chunk. In texts that
// are not UTF-8, U+FFFD stands for what is not.
type table struct {
	name    string
	columns []values
	col     int    // of the current row: what the next value is for
	rows    int    // that are whole
	buffer  []byte // all texts that are not inlined, one after the other

	types []mapping.LogicalType
	chunk mapping.DataChunk
	store mapping.DataChunk // one blob: where the engine gets to see buffer

	// Where rows go, from open to finish. The appender is made when the first chunk is
	// due and kept, since making it takes a twentieth of a small commit, until there was an error
	// or rows go elsewhere. It knows the table by its name, and holds no rows after finish.
	conn     mapping.Connection
	catalog  string
	appender mapping.Appender
	started  bool
	err      error // the first one; nothing is appended after it
}

// Kinds of columns, by the numbers of DUCKDB_TYPE:
// https://duckdb.org/docs/stable/clients/c/types.
const (
	Int        = mapping.Type(5)  // BIGINT
	Small      = mapping.Type(4)  // INTEGER
	Real       = mapping.Type(11) // DOUBLE
	Text       = mapping.Type(17)
	Blob       = mapping.Type(18)
	ListOfText = mapping.Type(24) // VARCHAR[]

	// ListOfInt is a number of ours, since the engine has one for all lists: BIGINT[].
	ListOfInt = mapping.Type(1 << 16)
)

// elements are the kinds of what lists consist of.
var elements = map[mapping.Type]mapping.Type{ListOfText: Text, ListOfInt: Int}

func newTable(name string, kinds ...mapping.Type) *table {
	t := &table{name: name, columns: make([]values, len(kinds))}
	for i, k := range kinds {
		t.columns[i].kind = k
		element, isList := elements[k]
		if !isList {
			t.types = append(t.types, mapping.CreateLogicalType(k))
			continue
		}
		child := mapping.CreateLogicalType(element)
		t.types = append(t.types, mapping.CreateListType(child))
		mapping.DestroyLogicalType(&child)
	}
	t.chunk = mapping.CreateDataChunk(t.types)
	blob := mapping.CreateLogicalType(Blob)
	t.store = mapping.CreateDataChunk([]mapping.LogicalType{blob})
	mapping.DestroyLogicalType(&blob)
	return t
}

func (t *table) close() {
	t.abandon()
	mapping.DestroyDataChunk(&t.store)
	mapping.DestroyDataChunk(&t.chunk)
	for i := range t.types {
		mapping.DestroyLogicalType(&t.types[i])
	}
}

// A row is made by one call for each column, in order, and end.

func (t *table) int(v int64) {
	c := &t.columns[t.col]
	c.ints = append(c.ints, v)
	t.col++
}

func (t *table) small(v int32) {
	c := &t.columns[t.col]
	c.small = append(c.small, v)
	t.col++
}

func (t *table) real(v float64) {
	c := &t.columns[t.col]
	c.reals = append(c.reals, v)
	t.col++
}

func (t *table) text(s string) {
	c := &t.columns[t.col]
	c.texts = append(c.texts, t.keep(s))
	t.col++
}

// begin opens a list, and add and addInt put elements into it, until done.
func (t *table) begin() {
	c := &t.columns[t.col]
	c.lists = append(c.lists, entry{offset: uint64(len(c.texts) + len(c.ints))}) // one of them is empty
}

func (t *table) add(s string) {
	c := &t.columns[t.col]
	c.texts = append(c.texts, t.keep(s))
	c.lists[len(c.lists)-1].length++
}

func (t *table) addInt(v int64) {
	c := &t.columns[t.col]
	c.ints = append(c.ints, v)
	c.lists[len(c.lists)-1].length++
}

func (t *table) done() { t.col++ }

func (t *table) end() {
	t.rows, t.col = t.rows+1, 0
	if t.rows == chunkRows || len(t.buffer) >= chunkBytes {
		t.flush()
	}
}

// keep lays out s; until flush, at is an offset into buffer.
func (t *table) keep(s string) text {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	x := text{length: uint32(len(s))}
	if len(s) <= inlined {
		copy((*[inlined]byte)(unsafe.Pointer(&x.prefix))[:], s) //nolint:gosec // prefix and at are these twelve bytes
		return x
	}
	copy(x.prefix[:], s)
	x.at = uint64(len(t.buffer))
	t.buffer = append(t.buffer, s...)
	return x
}

// open lets rows go to the table of a catalog, within the transaction of conn.
func (t *table) open(conn mapping.Connection, catalog string) {
	if t.conn != conn || t.catalog != catalog {
		t.abandon()
	}
	t.conn, t.catalog, t.err = conn, catalog, nil
}

// finish hands all rows over to the transaction. If one of them could not be, the
// transaction must not be committed.
func (t *table) finish() error {
	t.flush()
	if t.started && t.err == nil && mapping.AppenderFlush(t.appender) == mapping.StateError {
		t.err = errors.New(mapping.AppenderError(t.appender))
	}
	if t.err != nil {
		t.abandon()
	}
	return t.err
}

// abandon forgets all rows that finish has not handed over, and the appender.
func (t *table) abandon() {
	t.reset()
	if t.started {
		mapping.AppenderClear(t.appender)
		mapping.AppenderDestroy(&t.appender)
		t.started = false
	}
}

// flush appends the chunk.
func (t *table) flush() {
	if t.rows == 0 || t.err != nil {
		t.reset()
		return
	}
	if !t.started {
		t.started = true
		if mapping.AppenderCreateExt(t.conn, t.catalog, "main", t.name, &t.appender) == mapping.StateError {
			t.err = errors.New(mapping.AppenderError(t.appender))
			return
		}
	}
	t.layOut()
	mapping.DataChunkSetSize(t.chunk, mapping.IdxT(t.rows))
	if mapping.AppendDataChunk(t.appender, t.chunk) == mapping.StateError {
		t.err = errors.New(mapping.AppenderError(t.appender))
	}
	t.reset()
}

// layOut puts the collected values into the chunk.
func (t *table) layOut() {
	var base uint64
	if len(t.buffer) > inlined {
		blob := mapping.DataChunkGetVector(t.store, 0)
		mapping.VectorAssignStringElementLen(blob, 0, t.buffer)
		base = (*text)(mapping.VectorGetData(blob)).at
	}
	for i := range t.columns {
		v := mapping.DataChunkGetVector(t.chunk, mapping.IdxT(i))
		c := &t.columns[i]
		switch c.kind {
		case Int:
			lay(v, c.ints)
		case Small:
			lay(v, c.small)
		case Real:
			lay(v, c.reals)
		case Text:
			relocate(c.texts, base)
			lay(v, c.texts)
		case ListOfText:
			relocate(c.texts, base)
			layLists(v, c.lists, c.texts)
		case ListOfInt:
			layLists(v, c.lists, c.ints)
		}
	}
}

// relocate turns offsets into the buffer, which lies at base, into addresses.
func relocate(list []text, base uint64) {
	for i := range list {
		if list[i].length > inlined {
			list[i].at += base
		}
	}
}

// lay copies values into the vector.
func lay[T any](v mapping.Vector, values []T) {
	if len(values) > 0 {
		copy(unsafe.Slice((*T)(mapping.VectorGetData(v)), len(values)), values) //nolint:gosec // chunkRows long, lists as reserved
	}
}

// layLists copies lists and their elements into the vector.
func layLists[T any](v mapping.Vector, lists []entry, elements []T) {
	n := mapping.IdxT(len(elements))
	mapping.ListVectorReserve(v, n)
	mapping.ListVectorSetSize(v, n)
	lay(v, lists)
	lay(mapping.ListVectorGetChild(v), elements)
}

// reset forgets the rows and keeps the memory, unless a row was larger than a chunk.
func (t *table) reset() {
	mapping.DataChunkReset(t.chunk)
	mapping.DataChunkReset(t.store)
	for i := range t.columns {
		c := &t.columns[i]
		c.ints, c.small, c.reals = c.ints[:0], c.small[:0], c.reals[:0]
		c.texts, c.lists = c.texts[:0], c.lists[:0]
	}
	t.rows, t.col, t.buffer = 0, 0, t.buffer[:0]
	if cap(t.buffer) > 2*chunkBytes {
		t.buffer = nil
	}
}
