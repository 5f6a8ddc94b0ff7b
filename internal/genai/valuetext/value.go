// SPDX-License-Identifier: Apache-2.0

// Package valuetext reads the values of attributes as text, and the JSON that such
// texts often are.
package valuetext

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/span"
)

const Replacement = "\uFFFD"

// Valid returns text as every later stage can take it: valid UTF-8 without NUL
// bytes. What is neither becomes U+FFFD.
func Valid(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, Replacement), "\x00", Replacement)
}

// NameOf returns an attribute's value as a name or the like.
func NameOf(v pcommon.Value) string { return Valid(Of(v)) }

// maxValueDepth is how deep arrays and maps may nest in one attribute; what
// is deeper becomes null.
const maxValueDepth = 64

// Of returns an attribute's value as the text that is stored and that evaluators read: strings as they are, NUL bytes
// included, with U+FFFD for what is not UTF-8; numbers
// and booleans as JSON spells them, bytes as base64, arrays and maps as
// compact JSON in the order sent.
func Of(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if text := v.Str(); utf8.ValidString(text) { // several times as fast as what follows
			return text
		}
		return strings.ToValidUTF8(v.Str(), Replacement)
	case pcommon.ValueTypeInt:
		return strconv.FormatInt(v.Int(), 10)
	case pcommon.ValueTypeBool:
		return strconv.FormatBool(v.Bool())
	case pcommon.ValueTypeBytes:
		return base64.StdEncoding.EncodeToString(v.Bytes().AsRaw())
	case pcommon.ValueTypeDouble:
		return doubleText(v.Double())
	case pcommon.ValueTypeSlice, pcommon.ValueTypeMap:
		return string(appendValue(nil, v, 0))
	}
	return ""
}

// doubleText spells a number as JSON does; the three that JSON has no spelling
// for get their names.
func doubleText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return string(jsontext.AppendFloat(nil, f, 64))
}

// appendValue appends a value inside an array or map.
func appendValue(b []byte, v pcommon.Value, depth int) []byte {
	switch v.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeBytes:
		return span.AppendQuoted(b, Of(v))
	case pcommon.ValueTypeInt:
		return strconv.AppendInt(b, v.Int(), 10)
	case pcommon.ValueTypeBool:
		return strconv.AppendBool(b, v.Bool())
	case pcommon.ValueTypeDouble:
		if f := v.Double(); math.IsNaN(f) || math.IsInf(f, 0) {
			return span.AppendQuoted(b, doubleText(f))
		}
		return jsontext.AppendFloat(b, v.Double(), 64)
	case pcommon.ValueTypeSlice:
		if depth < maxValueDepth {
			return appendSlice(b, v.Slice(), depth)
		}
	case pcommon.ValueTypeMap:
		if depth < maxValueDepth {
			return appendMap(b, v.Map(), depth)
		}
	}
	return append(b, "null"...)
}

func appendSlice(b []byte, s pcommon.Slice, depth int) []byte {
	b = append(b, '[')
	for i, x := range s.All() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, x, depth+1)
	}
	return append(b, ']')
}

func appendMap(b []byte, m pcommon.Map, depth int) []byte {
	b = append(b, '{')
	first := true
	for key, x := range m.All() {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(span.AppendQuoted(b, Valid(key)), ':')
		b = appendValue(b, x, depth+1)
	}
	return append(b, '}')
}
