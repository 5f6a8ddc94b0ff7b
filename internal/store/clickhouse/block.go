// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ClickHouse/ch-go/proto"
	driverColumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// block is rows on their way to the server, gathered column by column. The client's own
// block takes rows value by value, through interfaces and reflection, which cost more than all
// else that the store does of a span; so its columns are filled as they are by an answer of
// the server.
type block[R any] struct {
	columns []column[R]
	inputs  []input[R]
	rows    int

	raw proto.Buffer // a column as it goes over the wire
}

// input gathers the values of a column.
type input[R any] interface {
	add(r *R)
	column() proto.Column
}

func newBlock[R any](columns []column[R]) *block[R] {
	b := &block[R]{columns: columns}
	for i := range columns {
		b.inputs = append(b.inputs, columns[i].input(columns[i].kind))
	}
	return b
}

// fill has the block be these rows.
func (b *block[R]) fill(list []*R) error {
	b.rows = len(list)
	for _, in := range b.inputs { // one after the other, which is kinder to the processor's caches
		c := in.column()
		c.Reset()
		for _, r := range list {
			in.add(r)
		}
		if p, ok := c.(proto.Preparable); ok {
			if err := p.Prepare(); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode writes a column into the buffer, without its name and type.
// https://clickhouse.com/docs/interfaces/formats/Native
func (b *block[R]) encode(i int) {
	c := b.inputs[i].column()
	if s, ok := c.(proto.StateEncoder); ok {
		s.EncodeState(&b.raw)
	}
	c.EncodeColumn(&b.raw)
}

// decode has a column of the client be one of the block.
func (b *block[R]) decode(i int, into driverColumn.Interface) error {
	b.raw.Reset()
	b.encode(i)
	r := proto.NewReader(bytes.NewReader(b.raw.Buf))
	if s, ok := into.(driverColumn.CustomSerialization); ok {
		if err := s.ReadStatePrefix(r); err != nil {
			return err
		}
	}
	return into.Decode(r, b.rows)
}

// inputOf gathers what get returns of a row.
type inputOf[T, R any] struct {
	data proto.ColumnOf[T]
	get  func(r *R) T
}

func (in *inputOf[T, R]) add(r *R)             { in.data.Append(in.get(r)) } //nolint:unused // it is called by the interface
func (in *inputOf[T, R]) column() proto.Column { return in.data }            //nolint:unused // so is this

// evaluationsInput gathers what get returns of the evaluations of a span, as an array.
type evaluationsInput[T any] struct {
	data *proto.ColArr[T]
	get  func(v *eval.Evaluation) T
}

func (in *evaluationsInput[T]) add(r *spanRow) {
	for i := range r.evaluations {
		in.data.Data.Append(in.get(&r.evaluations[i]))
	}
	in.data.Offsets.Append(uint64(in.data.Data.Rows()))
}

func (in *evaluationsInput[T]) column() proto.Column { return in.data }

// attributesInput gathers attributes of a span, as a map.
type attributesInput struct {
	data *proto.ColMap[string, string]
	at   func(r *spanRow) *span.Attributes

	without func(s *span.Span, a *span.Attribute) bool // which are left out; nil is none
}

func (in *attributesInput) add(r *spanRow) {
	list := cleanAttributes(*in.at(r))
	for i := range list {
		if in.without == nil || !in.without(&r.span, &list[i]) {
			in.data.Keys.Append(list[i].Key)
			in.data.Values.Append(list[i].Value)
		}
	}
	in.data.Offsets.Append(uint64(in.data.Keys.Rows()))
}

func (in *attributesInput) column() proto.Column { return in.data }

// cleanAttributes returns attributes that are UTF-8; of keys that become the same by
// that the first is left.
func cleanAttributes(list span.Attributes) span.Attributes {
	for i := range list {
		if utf8.ValidString(list[i].Key) && utf8.ValidString(list[i].Value) {
			continue
		}
		all := make([]span.Attribute, len(list))
		for j, a := range list {
			all[j] = span.Attribute{Key: clean(a.Key), Value: clean(a.Value)}
		}
		return span.NewAttributes(all)
	}
	return list
}

// newData returns what values of a Go type are gathered in, by ClickHouse's type.
func newData[T any](kind string) proto.ColumnOf[T] {
	var data any
	switch any(*new(T)).(type) {
	case string:
		data = newTexts(kind)
	case []string:
		data = proto.NewArray(newTexts("String"))
	case int64:
		data = new(proto.ColInt64)
	case uint64:
		data = new(proto.ColUInt64)
	case uint32:
		data = new(proto.ColUInt32)
	case uint8:
		data = new(proto.ColUInt8)
	case float64:
		data = new(proto.ColFloat64)
	case bool:
		data = new(proto.ColBool)
	}
	return data.(proto.ColumnOf[T])
}

func newTexts(kind string) proto.ColumnOf[string] {
	switch {
	case strings.HasPrefix(kind, "LowCardinality("):
		return proto.NewLowCardinality(proto.ColumnOf[string](new(proto.ColStr)))
	case strings.HasPrefix(kind, "FixedString("):
		return new(fixedTexts)
	}
	return new(proto.ColStr)
}

// fixedTexts are texts of the same length each, which is that of the first.
type fixedTexts struct{ proto.ColFixedStr }

func (c *fixedTexts) Append(s string) {
	c.Buf = append(c.Buf, s...)
	c.Size = len(s)
}

func (c *fixedTexts) AppendArr(list []string) {
	for _, s := range list {
		c.Append(s)
	}
}

func (c *fixedTexts) Row(i int) string { return string(c.ColFixedStr.Row(i)) }
