// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// leastNumber is from where on a number may be of a person, such as that of an account or
// a phone; those below count tokens and times.
const leastNumber = 1_000_000

// visitor is called with the texts of a record and returns what is to stand there.
type visitor func(text string) string

// looking is a visitor that changes nothing.
func (m *Masker) looking() visitor {
	return func(text string) string {
		m.look(text)
		return text
	}
}

// set visits a text that has a getter and a setter.
func (v visitor) set(text string, set func(string)) {
	if made := v(text); made != text {
		set(made)
	}
}

// attributes visits names and values. Those that only we write are passed over.
func (v visitor) attributes(m pcommon.Map) {
	var renamed [][2]string
	for key, value := range m.All() {
		if tenant.Reserved(key) {
			continue
		}
		v.value(value)
		if made := v(key); made != key {
			renamed = append(renamed, [2]string{key, made})
		}
	}
	for _, names := range renamed {
		rename(m, names[0], names[1])
	}
}

// rename gives a value another name.
func rename(m pcommon.Map, from, to string) {
	value, ok := m.Get(from)
	if !ok {
		return
	}
	kept := pcommon.NewValueEmpty()
	value.CopyTo(kept)
	m.Remove(from)
	kept.MoveTo(m.PutEmpty(to))
}

// value visits the texts of an attribute's value: bytes as they are, numbers that may be of
// a person as they are spelled, arrays and maps as the JSON that evaluators read.
func (v visitor) value(value pcommon.Value) {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		v.set(value.Str(), value.SetStr)
	case pcommon.ValueTypeBytes:
		v.set(string(value.Bytes().AsRaw()), func(made string) { value.Bytes().FromRaw([]byte(made)) })
	case pcommon.ValueTypeInt:
		if n := value.Int(); n >= leastNumber || n <= -leastNumber {
			v.set(strconv.FormatInt(n, 10), value.SetStr)
		}
	case pcommon.ValueTypeDouble:
		if f := value.Double(); math.Abs(f) >= leastNumber && f == math.Trunc(f) && !math.IsInf(f, 0) {
			v.set(strconv.FormatFloat(f, 'f', -1, 64), value.SetStr)
		}
	case pcommon.ValueTypeSlice, pcommon.ValueTypeMap:
		text := valuetext.Of(value)
		if made := v(text); made != text {
			apply(jsontext.NewDecoder(strings.NewReader(made), lenient...), value)
		}
	}
}

// apply writes the JSON that a value's own became into the value: what is another text
// there becomes a text here.
func apply(dec *jsontext.Decoder, value pcommon.Value) {
	kind := dec.PeekKind()
	switch {
	case kind == '{' && value.Type() == pcommon.ValueTypeMap:
		applyMembers(dec, value.Map())
	case kind == '[' && value.Type() == pcommon.ValueTypeSlice:
		_, _ = dec.ReadToken()
		for _, element := range value.Slice().All() {
			apply(dec, element)
		}
		_, _ = dec.ReadToken()
	default:
		read, err := dec.ReadValue()
		if err != nil {
			return
		}
		switch nested := value.Type() == pcommon.ValueTypeMap || value.Type() == pcommon.ValueTypeSlice; {
		case kind == '"':
			if made := unquoted(string(read)); nested || made != valuetext.Of(value) {
				value.SetStr(made)
			}
		case nested: // too deep for evaluators to read
			value.SetStr(notSearched)
		}
	}
}

// applyMembers writes an object of JSON into the map that it was made of, the names of
// members too.
func applyMembers(dec *jsontext.Decoder, m pcommon.Map) {
	_, _ = dec.ReadToken() // it was made by this package and is valid
	var renamed [][2]string
	for key, member := range m.All() {
		name, err := dec.ReadToken()
		if err != nil {
			return
		}
		if made := name.String(); made != strings.ToValidUTF8(key, "\uFFFD") {
			renamed = append(renamed, [2]string{key, made})
		}
		apply(dec, member)
	}
	_, _ = dec.ReadToken()
	for _, names := range renamed {
		rename(m, names[0], names[1])
	}
}
