// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// The carrier holds evaluations one after the other. Numbers are varints of
// encoding/binary, texts a length and the bytes, and an output's value follows
// a byte that tells its type. What is nearly always zero is there only if a bit
// says so; a bit that means nothing is damage. Before all of them stands the
// version: sidecars, workers and gateways are not upgraded together.
const (
	packedTruncated uint16 = 1 << iota
	packedVersion
	packedUsage
	packedUnpriced
	packedAttempts
	packedDue
	packedModel
	packedCached
	packedGeneration
	packedProbability // where it is not 1
	packedSource      // where it is not this service
	packedScore
	packedGrounds

	packedKnown = packedGrounds<<1 - 1
)

const (
	packedText byte = iota + 1
	packedInt
	packedFloat
	packedFalse
	packedTrue
)

// carrierVersion is the version of the carriers that this release writes. It reads those of
// the version before as well, which did not say it: they begin with the length of a
// setup's id, which is a UUID or empty.
const carrierVersion byte = 2

// opened returns what stands behind the version of a carrier, and whether this
// release can read it.
func opened(packed string) (rest string, known bool) {
	switch {
	case packed == "":
		return "", true
	case packed[0] == carrierVersion:
		return packed[1:], true
	default:
		return packed, packed[0] == 0 || packed[0] == 36
	}
}

// pack adds evaluations to b.
func pack(b []byte, evaluations []eval.Evaluation) []byte {
	for i := range evaluations {
		e := &evaluations[i]
		for _, text := range [...]string{e.SetupID, e.Evaluator, string(e.Status), e.Reason, string(e.Backend)} {
			b = packText(b, text)
		}
		b = binary.AppendVarint(b, e.Duration)
		b = binary.AppendVarint(b, e.Time)
		b = packRare(b, e)
		b = binary.AppendUvarint(b, uint64(len(e.Outputs)))
		for _, o := range e.Outputs {
			b = packValue(packText(b, o.Name), o.Value)
		}
	}
	return b
}

// packRare packs what is nearly always zero.
func packRare(b []byte, e *eval.Evaluation) []byte {
	at := len(b)
	b = append(b, 0, 0)
	var has uint16
	if e.Truncated {
		has |= packedTruncated
	}
	if e.Version != "" {
		has |= packedVersion
		b = packText(b, e.Version)
	}
	if e.Usage.PromptTokens != 0 || e.Usage.CompletionTokens != 0 || e.Usage.Cost != 0 {
		has |= packedUsage
		b = binary.AppendUvarint(b, uint64(max(e.Usage.PromptTokens, 0)))
		b = binary.AppendUvarint(b, uint64(max(e.Usage.CompletionTokens, 0)))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.Usage.Cost))
	}
	if e.Usage.Unpriced {
		has |= packedUnpriced
	}
	if e.Attempts > 0 {
		has |= packedAttempts
		b = binary.AppendUvarint(b, uint64(e.Attempts))
	}
	if e.Due != 0 {
		has |= packedDue
		b = binary.AppendVarint(b, e.Due-e.Time) // a short one
	}
	if e.Model != "" {
		has |= packedModel
		b = packText(b, e.Model)
	}
	if e.Cached {
		has |= packedCached
	}
	if e.Generation != 0 {
		has |= packedGeneration
		b = binary.AppendUvarint(b, uint64(max(e.Generation, 0)))
	}
	if e.Probability != 1 {
		has |= packedProbability
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.Probability))
	}
	if e.Source != eval.FromTouchstone {
		has |= packedSource
		b = packText(b, string(e.Source))
	}
	if e.Grounds.Score != nil {
		has |= packedScore
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(*e.Grounds.Score))
	}
	if text := e.Grounds.Text(); text != "" {
		has |= packedGrounds
		b = packText(b, text)
	}
	binary.LittleEndian.PutUint16(b[at:], has)
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

// unpack stops at the first evaluation that is not whole, and reports whether there
// is none.
func unpack(packed string) (evaluations []eval.Evaluation, whole bool) {
	for u := (unpacker{rest: packed}); u.rest != ""; {
		e := eval.Evaluation{
			SetupID: u.text(), Evaluator: u.text(), Status: eval.Status(u.text()), Reason: u.text(),
			Backend: eval.Backend(u.text()), Duration: u.varint(), Time: u.varint(),
		}
		u.rare(&e)
		outputs := u.uvarint()
		if outputs > uint64(len(u.rest)) { // each takes two bytes at least
			u.damaged = true
		}
		e.Outputs = u.outputs(outputs)
		if u.damaged {
			return evaluations, false
		}
		if evaluations == nil {
			// The others are about as long as the first.
			like := 1 + min(len(u.rest)/(len(packed)-len(u.rest)), maxAlike)
			evaluations = make([]eval.Evaluation, 0, like)
			u.made = slices.Grow(u.made, like*len(e.Outputs))
		}
		evaluations = append(evaluations, e)
	}
	return evaluations, true
}

// maxAlike is how many evaluations room is made for at once.
const maxAlike = 31

// outputs takes n outputs.
func (u *unpacker) outputs(n uint64) []eval.Output {
	first := len(u.made)
	for range n {
		if u.damaged {
			return nil
		}
		u.made = append(u.made, eval.Output{Name: u.text(), Value: u.value()})
	}
	if len(u.made) == first {
		return nil
	}
	return u.made[first:len(u.made):len(u.made)]
}

// rare takes what packRare packed.
func (u *unpacker) rare(e *eval.Evaluation) {
	has := uint16(u.byte()) | uint16(u.byte())<<8
	if has&^packedKnown != 0 {
		u.damaged = true
		return
	}
	e.Truncated = has&packedTruncated != 0
	if has&packedVersion != 0 {
		e.Version = u.text()
	}
	if has&packedUsage != 0 {
		e.Usage = eval.Usage{PromptTokens: u.count(), CompletionTokens: u.count(), Cost: u.float()}
		u.damaged = u.damaged || !(e.Usage.Cost >= 0 && e.Usage.Cost <= math.MaxFloat64)
	}
	e.Usage.Unpriced = has&packedUnpriced != 0
	if has&packedAttempts != 0 {
		e.Attempts = int(u.count())
	}
	if has&packedDue != 0 {
		e.Due = e.Time + u.varint()
	}
	if has&packedModel != 0 {
		e.Model = u.text()
	}
	e.Cached = has&packedCached != 0
	if has&packedGeneration != 0 {
		e.Generation = u.count()
	}
	e.Probability, e.Source = 1, eval.FromTouchstone
	if has&packedProbability != 0 {
		e.Probability = u.float()
		u.damaged = u.damaged || !(e.Probability >= 0 && e.Probability <= 1)
	}
	if has&packedSource != 0 {
		e.Source = eval.EvaluationSource(u.text())
	}
	if has&packedScore != 0 {
		e.Grounds.SetNumber(u.float())
	}
	if has&packedGrounds != 0 {
		e.Grounds.SetText(u.text())
	}
}

// unpacker takes values off the front of rest until it finds damage.
type unpacker struct {
	rest    string
	damaged bool
	made    []eval.Output // of all evaluations
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

// count takes a number that is not negative, and far from overflowing.
func (u *unpacker) count() int64 {
	v := u.uvarint()
	u.damaged = u.damaged || v > math.MaxInt64/2
	return int64(v)
}

func (u *unpacker) text() string {
	n := u.uvarint()
	if n > uint64(len(u.rest)) {
		u.damaged = true
		return ""
	}
	return u.take(int(n))
}

func (u *unpacker) float() float64 {
	bits := u.take(8)
	if bits == "" {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64([]byte(bits)))
}

func (u *unpacker) value() any {
	switch u.byte() {
	case packedText:
		return u.text()
	case packedInt:
		return u.varint()
	case packedFloat:
		return u.float()
	case packedFalse:
		return false
	case packedTrue:
		return true
	}
	u.damaged = true
	return nil
}
