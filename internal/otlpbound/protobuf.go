// SPDX-License-Identifier: Apache-2.0

package otlpbound

import "math"

// Protobuf reads b, a request in the binary encoding. It gives what decoding
// it takes, a *Breach of the first limit that it is over, or ErrMalformed.
func (l *Limits) Protobuf(s Signal, b []byte) (Cost, error) {
	p := pass{limits: l}
	_, br := p.message(b, kindRequest+kind(s), 0)
	return p.result(br)
}

// message reads a message of kind k whose attributes count from attributes on,
// and returns how many there are. Messages nest as deep as OTLP has kinds: values
// have a way of their own, which counts.
func (p *pass) message(b []byte, k kind, attributes int) (int, breach) {
	lay := &layouts[k]
	p.bytes += lay.bytes
	events, links := 0, 0
	for pos := 0; pos < len(b); {
		number, wire, at := tag(b, pos)
		if at < 0 {
			return 0, malformed
		}
		f := lay.field(number)
		if wire != lengthDelimited || f.op == skip {
			if pos = skipField(b, at, wire); pos < 0 {
				return 0, malformed
			}
			if f.op >= fixed {
				p.bytes += 16 // a number that is not packed
			}
			continue
		}
		start, end := lengthed(b, at)
		if end < 0 {
			return 0, malformed
		}
		pos = end
		var br breach
		switch f.op {
		case attribute:
			if attributes++; attributes > p.limits.Attributes {
				return 0, tooManyAttributes
			}
			if f.to == kindEntity {
				_, br = p.message(b[start:end], kindEntity, 0)
			} else {
				br = p.attribute(b[start:end], 1)
			}
		case event:
			if events++; events > p.limits.Events {
				return 0, tooManyEvents
			}
			_, br = p.message(b[start:end], f.to, 0)
		case link:
			if links++; links > p.limits.Links {
				return 0, tooManyLinks
			}
			_, br = p.message(b[start:end], f.to, 0)
		case part:
			attributes, br = p.message(b[start:end], f.to, attributes)
		default:
			br = p.field(b[start:end], f)
		}
		if br != none {
			return 0, br
		}
	}
	return attributes, none
}

// field reads the content of a field that does not count among its owner's.
func (p *pass) field(b []byte, f field) breach {
	switch f.op {
	case name:
		if len(b) > p.limits.NameBytes {
			return nameTooLong
		}
		p.bytes += int64(len(b)) + bytesText
	case text:
		p.bytes += int64(len(b)) + bytesText
	case value:
		return p.value(b, 1)
	case traceID:
		p.broken = p.broken || len(b) != 0 && len(b) != 16
	case spanID:
		p.broken = p.broken || len(b) != 0 && len(b) != 8
	case fixed:
		p.bytes += int64(len(b))*9/8 + bytesText
	case varints:
		p.bytes += 9*int64(len(b)) + bytesText // in a list that grew
	case group:
		if br := p.group(); br != none {
			return br
		}
	case record:
		if br := p.record(); br != none {
			return br
		}
	}
	if f.op == message || f.op == group || f.op == record {
		_, br := p.message(b, f.to, 0)
		return br
	}
	return none
}

// attribute reads a KeyValue whose value is at this depth.
func (p *pass) attribute(b []byte, depth int) breach {
	p.bytes += bytesAttribute
	for pos := 0; pos < len(b); {
		number, wire, at := tag(b, pos)
		if at < 0 {
			return malformed
		}
		if wire != lengthDelimited || number > 2 {
			if pos = skipField(b, at, wire); pos < 0 {
				return malformed
			}
			continue
		}
		start, end := lengthed(b, at)
		if end < 0 {
			return malformed
		}
		pos = end
		if number == 2 {
			if br := p.value(b[start:end], depth); br != none {
				return br
			}
			continue
		}
		if end-start > p.limits.KeyBytes {
			return keyTooLong
		}
		p.bytes += int64(end - start)
	}
	return none
}

// The fields of an AnyValue that matter.
const (
	anyString = 1
	anyArray  = 5
	anyMap    = 6
	anyBytes  = 7
)

// value reads an AnyValue at this depth.
func (p *pass) value(b []byte, depth int) breach {
	if depth > p.limits.Depth {
		return tooDeep
	}
	for pos := 0; pos < len(b); {
		number, wire, at := tag(b, pos)
		if at < 0 {
			return malformed
		}
		p.bytes += bytesText
		if wire != lengthDelimited {
			if pos = skipField(b, at, wire); pos < 0 {
				return malformed
			}
			continue
		}
		start, end := lengthed(b, at)
		if end < 0 {
			return malformed
		}
		pos = end
		var br breach
		switch number {
		case anyString, anyBytes:
			p.bytes += int64(end-start) + bytesText
		case anyArray:
			br = p.list(b[start:end], depth, false)
		case anyMap:
			br = p.list(b[start:end], depth, true)
		}
		if br != none {
			return br
		}
	}
	return none
}

// list reads an ArrayValue or a KeyValueList that is a value at this depth.
func (p *pass) list(b []byte, depth int, pairs bool) breach {
	p.bytes += bytesText * 2
	count := 0
	for pos := 0; pos < len(b); {
		number, wire, at := tag(b, pos)
		if at < 0 {
			return malformed
		}
		if wire != lengthDelimited || number != 1 {
			if pos = skipField(b, at, wire); pos < 0 {
				return malformed
			}
			continue
		}
		start, end := lengthed(b, at)
		if end < 0 {
			return malformed
		}
		pos = end
		count++
		var br breach
		switch {
		case pairs && count > p.limits.Attributes:
			return tooManyAttributes
		case !pairs && count > p.limits.Values:
			return tooManyValues
		case pairs:
			br = p.attribute(b[start:end], depth+1)
		default:
			p.bytes += bytesValue
			br = p.value(b[start:end], depth+1)
		}
		if br != none {
			return br
		}
	}
	return none
}

func (l *layout) field(number int32) field {
	if number < fields {
		return l.fields[number]
	}
	if number == deprecated {
		return l.old
	}
	return field{}
}

// Wire types. https://protobuf.dev/programming-guides/encoding/#structure
const (
	varintType      = 0
	fixed64         = 1
	lengthDelimited = 2
	fixed32         = 5
)

// tag reads a field's number and wire type at pos, and gives where its content
// is, -1 if there is no tag.
func tag(b []byte, pos int) (number int32, wire, next int) {
	if c := b[pos]; c < 0x80 {
		if c < 1<<3 {
			return 0, 0, -1
		}
		return int32(c >> 3), int(c & 7), pos + 1
	}
	n, next := varint(b, pos)
	number = int32(n >> 3) // cut as the decoder cuts it
	if next < 0 || number <= 0 {
		return 0, 0, -1
	}
	return number, int(n & 7), next
}

// varint reads a number at pos and gives where it ends, -1 if it does not.
func varint(b []byte, pos int) (uint64, int) {
	var n uint64
	for shift := uint(0); shift < 64; shift += 7 {
		if pos >= len(b) {
			return 0, -1
		}
		c := b[pos]
		pos++
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n, pos
		}
	}
	return 0, -1
}

// lengthed returns where the content of a length-delimited field at pos begins
// and ends; the end is -1 if it is outside b.
func lengthed(b []byte, pos int) (start, end int) {
	n, start := varint(b, pos)
	if start < 0 || n > math.MaxInt64 || n > uint64(len(b)-start) {
		return 0, -1
	}
	return start, start + int(n)
}

// skipField returns where the field ends whose content is at pos, -1 if it does
// not. Groups are refused: no message of OTLP ever had one, and the decoder
// leaves an unknown one after its first number, to read the rest of it as
// fields of what is around it.
func skipField(b []byte, pos, wire int) int {
	switch wire {
	case varintType:
		_, pos = varint(b, pos)
	case fixed64:
		pos += 8
	case fixed32:
		pos += 4
	case lengthDelimited:
		_, pos = lengthed(b, pos)
	default:
		return -1
	}
	if pos > len(b) {
		return -1
	}
	return pos
}
