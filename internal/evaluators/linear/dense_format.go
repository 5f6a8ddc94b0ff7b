// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"encoding/binary"
	"math"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// What a model knows of meanings is in its file: the number of filters, for
// each its kernel, step and bias, for each class the weights of the highest and of the
// mean answers, that of the length, and the bias.

func (d *Dense) encode(b []byte) []byte {
	b = append(b, uint8(len(d.Filters)))
	for _, f := range d.Filters {
		for _, w := range f.Kernel {
			b = append(b, byte(w))
		}
		b = floats(b, f.Step, f.Bias)
	}
	for _, c := range d.Classes {
		b = floats(floats(floats(b, c.Highest...), c.Mean...), c.Length, c.Bias)
	}
	return b
}

func floats(b []byte, numbers ...float32) []byte {
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// decodeDense reads what Dense.encode wrote for a number of classes, and gives what
// follows it.
func decodeDense(b []byte, classes int) (d *Dense, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, errShort
	}
	d = &Dense{Filters: make([]Filter, b[0]), Classes: make([]DenseClass, classes)}
	b = b[1:]
	const kernel = Width * wordvectors.Dimensions
	if len(b) < len(d.Filters)*(kernel+8)+classes*(len(d.Filters)+1)*8 {
		return nil, nil, errShort
	}
	take := func(n int) []float32 {
		numbers := make([]float32, n)
		for i := range numbers {
			numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		b = b[4*n:]
		return numbers
	}
	for i := range d.Filters {
		d.Filters[i].Kernel = signed(b[:kernel])
		b = b[kernel:]
		two := take(2)
		d.Filters[i].Step, d.Filters[i].Bias = two[0], two[1]
	}
	for i := range d.Classes {
		c := &d.Classes[i]
		c.Highest, c.Mean = take(len(d.Filters)), take(len(d.Filters))
		two := take(2)
		c.Length, c.Bias = two[0], two[1]
	}
	return d, b, nil
}
