// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/binary"
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// The carrier holds evaluations one after the other. Numbers are varints of
// encoding/binary, texts a length and the bytes, and an output's value follows
// a byte that tells its type. Nothing outlives a pipeline in this form, so it
// has no version.
const (
	packedText byte = iota + 1
	packedInt
	packedFloat
	packedFalse
	packedTrue
)

func pack(evaluations []eval.Evaluation) []byte {
	b := make([]byte, 0, len(evaluations)*160)
	for i := range evaluations {
		e := &evaluations[i]
		for _, text := range [...]string{e.SetupID, e.Evaluator, string(e.Status), e.Reason, string(e.Backend)} {
			b = packText(b, text)
		}
		b = packBool(b, e.Truncated)
		b = binary.AppendVarint(b, e.Duration)
		b = binary.AppendVarint(b, e.Time)
		b = binary.AppendUvarint(b, uint64(len(e.Outputs)))
		for _, o := range e.Outputs {
			b = packValue(packText(b, o.Name), o.Value)
		}
	}
	return b
}

func packText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func packBool(b []byte, v bool) []byte {
	if v {
		return append(b, packedTrue)
	}
	return append(b, packedFalse)
}

func packValue(b []byte, value any) []byte {
	switch x := value.(type) {
	case int64:
		return binary.AppendVarint(append(b, packedInt), x)
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, packedFloat), math.Float64bits(x))
	case bool:
		return packBool(b, x)
	case string:
		return packText(append(b, packedText), x)
	default: // not a value of an output
		return packText(append(b, packedText), "")
	}
}

// unpack stops at the first evaluation that is not whole.
func unpack(packed string) []eval.Evaluation {
	var evaluations []eval.Evaluation
	for u := (unpacker{rest: packed}); u.rest != ""; {
		e := eval.Evaluation{
			SetupID: u.text(), Evaluator: u.text(), Status: eval.Status(u.text()), Reason: u.text(),
			Backend: eval.Backend(u.text()), Truncated: u.byte() == packedTrue, Duration: u.varint(), Time: u.varint(),
		}
		outputs := u.uvarint()
		if outputs > uint64(len(u.rest)) { // each takes two bytes at least
			u.damaged = true
		}
		if !u.damaged && outputs > 0 {
			e.Outputs = make([]eval.Output, 0, outputs)
		}
		for range outputs {
			if u.damaged {
				break
			}
			e.Outputs = append(e.Outputs, eval.Output{Name: u.text(), Value: u.value()})
		}
		if u.damaged {
			break
		}
		evaluations = append(evaluations, e)
	}
	return evaluations
}

// unpacker takes values off the front of rest until it finds damage.
type unpacker struct {
	rest    string
	damaged bool
}

func (u *unpacker) take(n int) string {
	if u.damaged || n < 0 || n > len(u.rest) {
		u.damaged = true
		return ""
	}
	taken := u.rest[:n]
	u.rest = u.rest[n:]
	return taken
}

func (u *unpacker) byte() byte {
	if b := u.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (u *unpacker) uvarint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := u.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	u.damaged = true
	return 0
}

func (u *unpacker) varint() int64 {
	v := u.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (u *unpacker) text() string {
	n := u.uvarint()
	if n > uint64(len(u.rest)) {
		u.damaged = true
		return ""
	}
	return u.take(int(n))
}

func (u *unpacker) value() any {
	switch u.byte() {
	case packedText:
		return u.text()
	case packedInt:
		return u.varint()
	case packedFloat:
		bits := u.take(8)
		if bits == "" {
			return nil
		}
		return math.Float64frombits(binary.LittleEndian.Uint64([]byte(bits)))
	case packedFalse:
		return false
	case packedTrue:
		return true
	}
	u.damaged = true
	return nil
}
