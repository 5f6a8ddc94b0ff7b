// SPDX-License-Identifier: Apache-2.0

// Package contents counts and digests what a store has, in whatever order it comes, so that
// what two stores have can be compared.
package contents

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"time"
)

// Sum is how many values there are, and a digest that differs where they do: the sum, modulo
// 2^256 in lanes of 64 bits, of the SHA-256 of each.
type Sum struct {
	Count int64
	lanes [4]uint64
}

// Digester adds values to sums. It is not for several goroutines at once.
type Digester struct{ buffer []byte }

// Add adds a value that consists of parts: of numbers, texts, times and of structures, lists
// and pointers of those. Fields that are not exported are left out, and an empty list is as
// none.
func (d *Digester) Add(to *Sum, parts ...any) {
	d.buffer = d.buffer[:0]
	for _, p := range parts {
		d.buffer = appendValue(d.buffer, reflect.ValueOf(p))
	}
	digest := sha256.Sum256(d.buffer)
	to.Count++
	for i := range to.lanes {
		to.lanes[i] += binary.LittleEndian.Uint64(digest[8*i:])
	}
}

// Plus adds the values of another sum.
func (s *Sum) Plus(o Sum) {
	s.Count += o.Count
	for i := range s.lanes {
		s.lanes[i] += o.lanes[i]
	}
}

// Digest returns the digest as 64 hexadecimal digits.
func (s Sum) Digest() string {
	var b []byte
	for _, lane := range s.lanes {
		b = binary.LittleEndian.AppendUint64(b, lane)
	}
	return hex.EncodeToString(b)
}

var timeType = reflect.TypeFor[time.Time]()

// appendValue appends bytes that differ where values of a type do.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(append(b, 1), v.Elem().Kind().String()...), v.Elem())
	case reflect.Slice, reflect.Array:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		return appendFields(b, v)
	}
	panic(fmt.Sprintf("a value of the type %s has no digest", v.Type())) // a mistake of ours, not of data
}

func appendFields(b []byte, v reflect.Value) []byte {
	if v.Type() == timeType {
		at := v.Interface().(time.Time)
		return binary.AppendVarint(binary.AppendVarint(b, at.Unix()), int64(at.Nanosecond()))
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			b = appendValue(b, v.Field(i))
		}
	}
	return b
}
