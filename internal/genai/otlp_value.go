// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// maxValueDepth is how deep arrays and maps may nest in one attribute; what
// is deeper becomes null.
const maxValueDepth = 64

// valueText returns an attribute's value as text: strings as they are, NUL bytes
// included, with U+FFFD for what is not UTF-8; numbers
// and booleans as JSON spells them, bytes as base64, arrays and maps as
// compact JSON in the order sent.
func valueText(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return strings.ToValidUTF8(v.Str(), replacement)
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
		return span.AppendQuoted(b, valueText(v))
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
		b = append(span.AppendQuoted(b, clean(key)), ':')
		b = appendValue(b, x, depth+1)
	}
	return append(b, '}')
}
