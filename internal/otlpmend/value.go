// SPDX-License-Identifier: Apache-2.0

package otlpmend

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// floating judges the text of a floating-point number. In quotes the decoder reads
// more than JSON's numbers, NaN and the infinities among them.
// https://www.rfc-editor.org/rfc/rfc8259#section-6
func floating(s string, quoted, asWritten bool) verdict {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil:
		return verdict{absent: true, reason: Broken}
	case quoted && asWritten, !quoted && json.Valid([]byte(s)):
		return verdict{}
	case math.IsNaN(v), math.IsInf(v, 0):
		return verdict{absent: true, reason: Absent}
	}
	return verdict{value: strconv.AppendFloat(nil, v, 'g', -1, 64), reason: Form}
}

// whole judges the text of an integer, with or without quotes.
func (f field) whole(s string, asWritten bool) verdict {
	canonical, ok := f.integer(s)
	switch {
	case ok && canonical == s && asWritten:
		return verdict{}
	case ok:
		return verdict{value: []byte(canonical), reason: Form}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return verdict{absent: true, reason: Broken}
	}
	if v == math.Trunc(v) {
		if canonical, ok = f.integer(strconv.FormatFloat(v, 'f', 0, 64)); ok {
			return verdict{value: []byte(canonical), reason: Form}
		}
	}
	if f.real != "" && !math.IsNaN(v) && !math.IsInf(v, 0) {
		return verdict{value: strconv.AppendFloat(nil, v, 'g', -1, 64), name: f.real, reason: Form}
	}
	return verdict{absent: true, reason: Broken}
}

// integer returns the decimal form of an integer that the field can hold.
func (f field) integer(s string) (string, bool) {
	switch f.form {
	case int32s, int64s:
		bits := 64
		if f.form == int32s {
			bits = 32
		}
		v, err := strconv.ParseInt(s, 10, bits)
		return strconv.FormatInt(v, 10), err == nil
	default:
		bits := 64
		if f.form == uint32s {
			bits = 32
		}
		v, err := strconv.ParseUint(s, 10, bits)
		return strconv.FormatUint(v, 10), err == nil
	}
}

// member judges the number or the name of an enum's member.
func (f field) member(s string, quoted, asWritten bool) verdict {
	number := field{form: int32s}
	short, prefixed := strings.CutPrefix(strings.ToUpper(s), f.trim)
	n, known := f.enum[short]
	switch {
	case !quoted:
		return number.whole(s, true)
	case known && prefixed && asWritten && f.trim+short == s:
		return verdict{}
	case known:
		return verdict{value: strconv.AppendInt(nil, int64(n), 10), reason: Form}
	}
	return number.whole(s, false)
}

// identifier judges the id of a trace or a span of size bytes. OTLP has it in
// hexadecimal; protobuf's own JSON, which some SDKs write, in base64.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
func identifier(s string, size int) verdict {
	if s == "" {
		return verdict{}
	}
	if len(s) == 2*size {
		if _, err := hex.DecodeString(s); err == nil {
			return verdict{}
		}
	}
	if b, ok := decoded(s); ok && len(b) == size {
		return verdict{value: []byte(strconv.Quote(hex.EncodeToString(b))), reason: Form}
	}
	return verdict{absent: true, reason: Broken}
}

// base64Of judges bytes, which the decoder reads in one of the alphabets and
// padded.
func base64Of(written []byte) verdict {
	if _, err := base64.StdEncoding.Decode(make([]byte, base64.StdEncoding.DecodedLen(len(written))), written); err == nil {
		return verdict{}
	}
	b, ok := decoded(unquoted(written))
	if !ok {
		return verdict{absent: true, reason: Broken}
	}
	return verdict{value: []byte(strconv.Quote(base64.StdEncoding.EncodeToString(b))), reason: Form}
}

// decoded returns the bytes of a text in base64, in either alphabet, padded or not.
func decoded(s string) ([]byte, bool) {
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(s, "="))
	b, err := base64.RawStdEncoding.DecodeString(s)
	return b, err == nil
}
