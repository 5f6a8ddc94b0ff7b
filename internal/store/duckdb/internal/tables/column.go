// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// column is a column of a table of which X is a row: its name and kind, how a
// value is appended, which bytes tell it from others, and where it is read into.
// The columns of a table are declared in the order of its latest format.
type column[X any] struct {
	name string
	kind mapping.Type
	put  func(t *table, x *X)
	// tell appends bytes that differ where the values do, for tables whose rows
	// are found again by what they hold; nil for lists.
	tell func(b []byte, x *X) []byte
	// into returns where Scan puts the value; it is nil where it is not read.
	into func(x *X) any
	// field is the field of a span that the column holds, "" for none: see
	// span.Fields.
	field string
}

func textColumn[X any](name string, at func(*X) *string) column[X] {
	return column[X]{
		name: name, kind: Text,
		put:  func(t *table, x *X) { t.text(*at(x)) },
		tell: func(b []byte, x *X) []byte { return appendText(b, *at(x)) },
		into: func(x *X) any { return at(x) },
	}
}

func intColumn[X any](name string, at func(*X) *int64) column[X] {
	return column[X]{
		name: name, kind: Int,
		put:  func(t *table, x *X) { t.int(*at(x)) },
		tell: func(b []byte, x *X) []byte { return binary.LittleEndian.AppendUint64(b, uint64(*at(x))) },
		into: func(x *X) any { return at(x) },
	}
}

func smallColumn[X any](name string, at func(*X) *int32) column[X] {
	return column[X]{
		name: name, kind: Small,
		put:  func(t *table, x *X) { t.small(*at(x)) },
		tell: func(b []byte, x *X) []byte { return binary.LittleEndian.AppendUint32(b, uint32(*at(x))) },
		into: func(x *X) any { return at(x) },
	}
}

func boolColumn[X any](name string, at func(*X) *bool) column[X] {
	return column[X]{
		name: name, kind: Small,
		put:  func(t *table, x *X) { t.small(bit(*at(x))) },
		tell: func(b []byte, x *X) []byte { return append(b, byte(bit(*at(x)))) },
		into: func(x *X) any { return at(x) },
	}
}

func realColumn[X any](name string, at func(*X) *float64) column[X] {
	return column[X]{
		name: name, kind: Real,
		put:  func(t *table, x *X) { t.real(*at(x)) },
		tell: func(b []byte, x *X) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(*at(x))) },
		into: func(x *X) any { return at(x) },
	}
}

// textsColumn is a list of texts. Put appends its elements between begin and
// done.
func textsColumn[X any](name string, put func(t *table, x *X), into func(*X) *Texts) column[X] {
	return column[X]{
		name: name, kind: ListOfText,
		put: func(t *table, x *X) {
			t.begin()
			put(t, x)
			t.done()
		},
		into: func(x *X) any { return into(x) },
	}
}

// numbersColumn is a list of numbers.
func numbersColumn[X any](name string, at func(*X) *Numbers) column[X] {
	return column[X]{
		name: name, kind: ListOfInt,
		put: func(t *table, x *X) {
			t.begin()
			for _, n := range *at(x) {
				t.addInt(n)
			}
			t.done()
		},
		into: func(x *X) any { return at(x) },
	}
}

// as returns the column as that of a field of spans.
func (c column[X]) as(field string) column[X] {
	c.field = field
	return c
}

// unread returns the column as one that is not read.
func (c column[X]) unread() column[X] {
	c.into = nil
	return c
}

func bit(set bool) int32 {
	if set {
		return 1
	}
	return 0
}

// columns are those of one table.
type columns[X any] []column[X]

// without returns the columns but those of these names.
func (l columns[X]) without(names ...string) columns[X] {
	return slices.DeleteFunc(slices.Clone(l), func(c column[X]) bool { return slices.Contains(names, c.name) })
}

func (l columns[X]) kinds() (kinds []mapping.Type) {
	for _, c := range l {
		kinds = append(kinds, c.kind)
	}
	return kinds
}

// append adds a row to the table.
func (l columns[X]) append(t *table, x *X) {
	for i := range l {
		l[i].put(t, x)
	}
	t.end()
}

// tell appends bytes that differ where rows do.
func (l columns[X]) tell(b []byte, x *X) []byte {
	for i := range l {
		if l[i].tell != nil {
			b = l[i].tell(b, x)
		}
	}
	return b
}

// names lists the columns that are read, for SELECT, each after prefix.
func (l columns[X]) names(prefix string) string {
	var b strings.Builder
	for _, c := range l {
		if c.into == nil {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(prefix + c.name)
	}
	return b.String()
}

// into appends where the columns of names are read into.
func (l columns[X]) into(targets []any, x *X) []any {
	for i := range l {
		if l[i].into != nil {
			targets = append(targets, l[i].into(x))
		}
	}
	return targets
}
