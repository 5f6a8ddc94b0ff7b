// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"strings"
	"unicode/utf8"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// column is how a value of a row is stored.
type column[R any] struct {
	name, kind string // kind is ClickHouse's type
	codec      string
	// input returns where the values are gathered that a block of rows has, by the kind.
	input func(kind string) input[R]
	// target returns where a value is read into, and what sets it in the row then.
	target func() (into any, set func(r *R))
}

// of returns a column whose values are of the type T.
func of[T, R any](name, kind string, get func(r *R) T, set func(r *R, v T)) column[R] {
	return column[R]{
		name: name, kind: kind,
		input: func(kind string) input[R] { return &inputOf[T, R]{newData[T](kind), get} },
		target: func() (any, func(r *R)) {
			v := new(T)
			return v, func(r *R) { set(r, *v) }
		},
	}
}

// field returns a column of a field.
func field[T, R any](name, kind string, at func(r *R) *T) column[R] {
	return of(name, kind, func(r *R) T { return *at(r) }, func(r *R, v T) { *at(r) = v })
}

// text returns a column of a text, which is stored as UTF-8.
func text[T ~string, R any](name string, at func(r *R) *T) column[R] {
	return of(name, "String", func(r *R) string { return clean(string(*at(r))) }, func(r *R, v string) { *at(r) = T(v) })
}

// with returns the column with another type of ClickHouse's, or a codec.
func (c column[R]) with(kind, codec string) column[R] {
	if kind != "" {
		c.kind = kind
	}
	c.codec = codec
	return c
}

// clean returns a text with the replacement character in the place of bytes that
// are no UTF-8.
func clean(s string) string {
	if utf8.ValidString(s) { // which is faster to tell
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// definition returns the columns as CREATE TABLE has them.
func definition[R any](list []column[R]) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteString("\n\t" + c.name + " " + c.kind)
		if c.codec != "" {
			b.WriteString(" CODEC(" + c.codec + ")")
		}
		b.WriteString(",")
	}
	return b.String()
}

// names returns the names of columns, as SELECT has them.
func names[R any](list []column[R]) string {
	all := make([]string, len(list))
	for i, c := range list {
		all[i] = c.name
	}
	return strings.Join(all, ", ")
}

// types tells the client the types of columns, so that it need not ask.
func types[R any](list []column[R]) []driver.ColumnNameAndType {
	all := make([]driver.ColumnNameAndType, len(list))
	for i, c := range list {
		all[i] = driver.ColumnNameAndType{Name: c.name, Type: c.kind}
	}
	return all
}

// reader reads rows of columns.
type reader[R any] struct {
	into []any
	sets []func(r *R)
}

func newReader[R any](list []column[R]) *reader[R] {
	d := &reader[R]{}
	for _, c := range list {
		into, set := c.target()
		d.into = append(d.into, into)
		d.sets = append(d.sets, set)
	}
	return d
}

// read reads one row.
func (d *reader[R]) read(scan func(into ...any) error) (*R, error) {
	if err := scan(d.into...); err != nil {
		return nil, err
	}
	r := new(R)
	for _, set := range d.sets {
		set(r)
	}
	return r, nil
}
