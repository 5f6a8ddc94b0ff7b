// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// A file is: magic, version of the features, bits, length of passages, number of
// classes, for each
// class its label with its length and its scale and bias, the number of knots
// of the curve and their two coordinates, of a model that weighs meanings what it
// knows of them, the weights, and a checksum of all before. Numbers are little-endian.
const (
	magic = "TSLM"
	// version changes when the same text no longer has the same features: a
	// model is good only for the features it was trained with.
	version = 2
	// denseVersion is that of a model that weighs meanings too.
	denseVersion = 3
	maxClasses   = 64
)

func (m *Model) check() error {
	switch {
	case m.bits < 8 || m.bits > maxBits:
		return fmt.Errorf("a model of 2^%d features", m.bits)
	case len(m.classes) == 0 || len(m.classes) > maxClasses:
		return fmt.Errorf("a model of %d classes", len(m.classes))
	case len(m.weights) != len(m.classes)<<m.bits:
		return fmt.Errorf("%d weights for %d classes of 2^%d features", len(m.weights), len(m.classes), m.bits)
	}
	for _, c := range m.classes {
		if len(c.Label) == 0 || len(c.Label) > math.MaxUint8 {
			return errors.New("a class needs a label of 1 to 255 bytes")
		}
		for _, f := range []float32{c.Scale, c.Bias} {
			if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
				return fmt.Errorf("class %q: scale and bias must be finite", c.Label)
			}
		}
	}
	return nil
}

// Encode returns the model as the bytes that Decode reads.
func (m *Model) Encode() []byte {
	known := uint8(version)
	if m.dense != nil {
		known = denseVersion
	}
	b := binary.LittleEndian.AppendUint16(append([]byte(magic), known, m.bits), uint16(m.passage))
	b = append(b, uint8(len(m.classes)))
	for _, c := range m.classes {
		b = append(b, uint8(len(c.Label)))
		b = append(b, c.Label...)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.Scale))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.Bias))
	}
	b = append(b, uint8(len(m.curve)))
	for _, k := range m.curve {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(k.Raw))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(k.True))
	}
	if m.dense != nil {
		b = m.dense.encode(b)
	}
	for _, w := range m.weights {
		b = append(b, byte(w))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

var errShort = errors.New("a model ends early")

// Decode reads a model.
func Decode(b []byte) (*Model, error) {
	if len(b) < len(magic)+5+4 || string(b[:len(magic)]) != magic {
		return nil, errors.New("not a model")
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil, errors.New("a model with a wrong checksum")
	}
	head := body[len(magic):]
	if head[0] != version && head[0] != denseVersion {
		return nil, fmt.Errorf("a model of version %d where %d and %d are known", head[0], version, denseVersion)
	}
	bits, passage, rest := head[1], int(binary.LittleEndian.Uint16(head[2:])), head[5:]
	classes := make([]Class, head[4])
	for i := range classes {
		if len(rest) == 0 || len(rest) < 1+int(rest[0])+8 {
			return nil, errShort
		}
		n := int(rest[0])
		classes[i] = Class{
			Label: string(rest[1 : 1+n]),
			Scale: math.Float32frombits(binary.LittleEndian.Uint32(rest[1+n:])),
			Bias:  math.Float32frombits(binary.LittleEndian.Uint32(rest[5+n:])),
		}
		rest = rest[9+n:]
	}
	curve, rest, err := decodeCurve(rest)
	if err != nil {
		return nil, err
	}
	var dense *Dense
	if head[0] == denseVersion {
		if dense, rest, err = decodeDense(rest, len(classes)); err != nil {
			return nil, err
		}
	}
	weights := signed(rest)
	m, err := New(bits, classes, weights)
	if err != nil {
		return nil, err
	}
	if err := m.Split(passage); err != nil {
		return nil, err
	}
	if dense != nil {
		if err := m.Weigh(dense); err != nil {
			return nil, err
		}
	}
	return m, m.Calibrate(curve)
}

// signed returns bytes as the whole numbers that they stand for.
func signed(b []byte) []int8 {
	numbers := make([]int8, len(b))
	for i, v := range b {
		numbers[i] = int8(v)
	}
	return numbers
}

// decodeCurve reads a curve and gives what follows it.
func decodeCurve(b []byte) (curve []Knot, rest []byte, err error) {
	if len(b) == 0 || len(b) < 1+8*int(b[0]) {
		return nil, nil, errShort
	}
	n := int(b[0])
	for b = b[1:]; len(curve) < n; b = b[8:] {
		curve = append(curve, Knot{
			Raw:  math.Float32frombits(binary.LittleEndian.Uint32(b)),
			True: math.Float32frombits(binary.LittleEndian.Uint32(b[4:])),
		})
	}
	return curve, b, nil
}

// MustDecode is Decode for a model that is part of the program.
func MustDecode(b []byte) *Model {
	m, err := Decode(b)
	if err != nil {
		panic(err)
	}
	return m
}
