// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// Dense is what a model knows of the meanings of words, in addition to the words themselves:
// filters over the vectors of some words in a row, of which the highest answer in a
// passage and the mean one are weighed (a convolutional net of one layer, Kim 2014,
// https://doi.org/10.3115/v1/D14-1181). Words without a vector say nothing to it, and of
// a passage that has few with one it says nothing at all: vectors are of English.
type Dense struct {
	// Filters has at most 64.
	Filters []Filter
	// Classes has, for each class of the model, what is added to its log odds.
	Classes []DenseClass

	// answers has by the place of a word what each filter makes of it at each place of
	// a row, or, where single says that all filters look at one word alone, the filters
	// that answer and what, in turns; they are computed when the word is first met.
	answers func() []atomic.Pointer[[]int16]
	biases  []int32
	single  bool
}

// Filter has a weight for each number of the vectors of Width words in a row. Vectors
// are taken with a length of 4.
type Filter struct {
	Kernel []int8
	// Step is what a step of the kernel stands for, and Bias is added to the sum. What
	// is below zero then counts as zero.
	Step, Bias float32
}

// DenseClass weighs the answers of filters for a class.
type DenseClass struct {
	// Highest and Mean are by filter.
	Highest, Mean []float32
	// Length weighs the length of a passage, see LengthOf.
	Length, Bias float32
}

// Width is the number of words in a row that a filter looks at: one, and those before
// and behind it.
const Width = 3

const (
	maxFilters = 64
	// unit is the step of answers.
	unit = 1.0 / 256
	// vectorLength is that of all vectors, as filters take them.
	vectorLength = 4
)

// Places of tokens in the sequence of a passage that are none of the table.
const (
	// UnknownWord is a word without a vector.
	UnknownWord = -1
	// NoWord is a mark or a mention.
	NoWord = -2
)

// Familiar tells of how much weight vectors are for a passage: 0 where at most three of
// five words have one, as in texts of other languages, 1 where at least four of five have.
func Familiar(sequence []int32) float32 {
	words, known := 0, 0
	for _, place := range sequence {
		if place != NoWord {
			words++
		}
		if place >= 0 {
			known++
		}
	}
	if words == 0 {
		return 0
	}
	return min(1, max(0, (float32(known)/float32(words)-0.6)*5))
}

// LengthOf tells the length of a passage as it is weighed: the logarithm of its tokens.
func LengthOf(sequence []int32) float32 {
	return float32(math.Log(float64(1+len(sequence))) - 3)
}

// MeanOf returns the mean of the answers of a filter of which the sum is given. In short
// passages it is smaller: one word proves less than many.
func MeanOf(sum float32, tokens int) float32 { return 4 * sum / float32(tokens+3) }

// Weigh has the model count meanings too. It is to be called before the model is used.
func (m *Model) Weigh(d *Dense) error {
	if err := d.check(len(m.classes)); err != nil {
		return err
	}
	own := *d
	own.biases = make([]int32, len(d.Filters))
	for i, f := range d.Filters {
		own.biases[i] = int32(math.Round(float64(f.Bias) / unit))
	}
	own.single = d.looksAtSingleWords()
	own.answers = sync.OnceValue(func() []atomic.Pointer[[]int16] {
		return make([]atomic.Pointer[[]int16], wordvectors.Words())
	})
	m.dense = &own
	return nil
}

func (d *Dense) check(classes int) error {
	switch {
	case len(d.Filters) == 0 || len(d.Filters) > maxFilters:
		return fmt.Errorf("%d filters", len(d.Filters))
	case len(d.Classes) != classes:
		return fmt.Errorf("meanings of %d classes for %d", len(d.Classes), classes)
	}
	var numbers []float32
	for _, f := range d.Filters {
		if len(f.Kernel) != Width*wordvectors.Dimensions {
			return fmt.Errorf("a filter of %d weights", len(f.Kernel))
		}
		numbers = append(numbers, f.Step, f.Bias)
	}
	for _, c := range d.Classes {
		if len(c.Highest) != len(d.Filters) || len(c.Mean) != len(d.Filters) {
			return errors.New("a class needs two weights for each filter")
		}
		numbers = append(append(append(numbers, c.Highest...), c.Mean...), c.Length, c.Bias)
	}
	for _, v := range numbers {
		if math.IsNaN(float64(v)) || math.Abs(float64(v)) > 1e6 {
			return errors.New("weights of meanings must be finite")
		}
	}
	return nil
}

// looksAtSingleWords reports whether no filter looks at what is before or behind a word,
// and none answers to a word without a vector.
func (d *Dense) looksAtSingleWords() bool {
	const size = wordvectors.Dimensions
	counts := func(w int8) bool { return w != 0 }
	for _, f := range d.Filters {
		if f.Bias > 0 || slices.ContainsFunc(f.Kernel[:size], counts) || slices.ContainsFunc(f.Kernel[2*size:], counts) {
			return false
		}
	}
	return true
}

// answer returns what filters make of the word at a place of the table, see answers.
func (d *Dense) answer(place int32) []int16 {
	slot := &d.answers()[place]
	if known := slot.Load(); known != nil {
		return *known
	}
	var vector [wordvectors.Dimensions]float32
	Direction(int(place), &vector)
	made := make([]int16, Width*len(d.Filters))
	for i, f := range d.Filters {
		for k := range Width {
			sum := float32(0)
			for n, w := range f.Kernel[k*len(vector) : (k+1)*len(vector)] {
				sum += float32(vector[n] * float32(w)) // rounded, so that all machines have the same
			}
			answer := math.Round(float64(float32(sum*f.Step)) / unit)
			made[k*len(d.Filters)+i] = int16(max(math.MinInt16, min(math.MaxInt16, answer)))
		}
	}
	if d.single {
		made = d.answering(made[len(d.Filters) : 2*len(d.Filters)])
	}
	slot.Store(&made)
	return made
}

// answering returns the filters whose answers to a word are above zero, each with its
// answer.
func (d *Dense) answering(answers []int16) []int16 {
	var made []int16
	for i, answer := range answers {
		if v := int32(answer) + d.biases[i]; v > 0 {
			made = append(made, int16(i), int16(v))
		}
	}
	return made
}

// Direction writes the vector of the word at a place, as filters take it.
func Direction(place int, vector *[wordvectors.Dimensions]float32) {
	v := wordvectors.AtPlace(place)
	norm := v.Norm()
	if norm == 0 {
		clear(vector[:])
		return
	}
	for i := range vector {
		vector[i] = v.At(i) * (vectorLength / norm)
	}
}

// nothing is what filters make of a word without a vector.
var nothing [Width * maxFilters]int16

// reader is what reading one passage needs.
type reader struct {
	highest, sums [maxFilters]int32
	rows          [][]int16
}

// read adds to log odds, by class, what meanings say of a passage.
func (d *Dense) read(r *reader, sequence []int32, odds []float64) {
	familiar := Familiar(sequence)
	if familiar == 0 {
		return
	}
	n := len(d.biases)
	highest, sums := r.highest[:n], r.sums[:n]
	clear(highest)
	clear(sums)
	if d.single {
		d.readSingle(r, sequence)
	} else {
		d.readRows(r, sequence)
	}
	classes := d.Classes[:len(odds)]
	for k := range odds {
		c := &classes[k]
		total := c.Bias + float32(c.Length*LengthOf(sequence))
		for i := range highest {
			total += float32(c.Highest[i]*(float32(highest[i])*unit)) + float32(c.Mean[i]*MeanOf(float32(sums[i])*unit, len(sequence)))
		}
		odds[k] += float64(familiar * total)
	}
}

// readSingle sets the highest answer of each filter to a word, and the sum.
func (d *Dense) readSingle(r *reader, sequence []int32) {
	for _, place := range sequence {
		if place < 0 {
			continue
		}
		for row := d.answer(place); len(row) > 1; row = row[2:] {
			i, v := row[0], int32(row[1])
			r.sums[i] += v
			r.highest[i] = max(r.highest[i], v)
		}
	}
}

// readRows sets the highest answer of each filter to words in a row, and the sum.
func (d *Dense) readRows(r *reader, sequence []int32) {
	n := len(d.biases)
	highest, sums := r.highest[:n], r.sums[:n]
	r.rows = append(r.rows[:0], nothing[:Width*n])
	for _, place := range sequence {
		row := nothing[:Width*n]
		if place >= 0 {
			row = d.answer(place)
		}
		r.rows = append(r.rows, row)
	}
	r.rows = append(r.rows, nothing[:Width*n])
	for t := range sequence {
		before, word, behind := r.rows[t][:n], r.rows[t+1][n:2*n], r.rows[t+2][2*n:3*n]
		for i, bias := range d.biases[:len(before)] {
			v := max(0, bias+int32(before[i])+int32(word[i])+int32(behind[i]))
			sums[i] += v
			highest[i] = max(highest[i], v)
		}
	}
	clear(r.rows)
}
