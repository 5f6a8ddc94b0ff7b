// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// source is what the package has: words, the most frequent first, and their vectors.
type source struct {
	words   []string
	vectors [][]float64
}

// read reads the package's one object. Its vectors have two numbers more than
// dimensions: their length, and the place of the word.
func read(r io.Reader) (source, error) {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	var s source
	dimensions := 0
	byWord := map[string][]float64{}
	if err := members(d, func(name string) error {
		switch name {
		case "words":
			return d.Decode(&s.words)
		case "dimensions":
			return d.Decode(&dimensions)
		case "vectors":
			return members(d, func(word string) error {
				var v []float64
				err := d.Decode(&v)
				byWord[word] = v
				return err
			})
		default:
			var other json.RawMessage
			return d.Decode(&other)
		}
	}); err != nil {
		return s, err
	}
	if dimensions == 0 || len(s.words) == 0 {
		return s, errors.New("no dimensions or no words")
	}
	for _, word := range s.words {
		v := byWord[word]
		if len(v) < dimensions {
			return s, fmt.Errorf("%q has %d numbers", word, len(v))
		}
		s.vectors = append(s.vectors, v[:dimensions:dimensions])
	}
	return s, nil
}

// members reads an object and calls each when its value comes next.
func members(d *json.Decoder, each func(name string) error) error {
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := each(name.(string)); err != nil { // a key of an object is a text
			return err
		}
	}
	_, err := d.Token()
	return err
}

// dropped is how many principal components are left out. The vectors of all words
// have these in common, and they tell how frequent a word is more than what it means.
const dropped = 3

// reduce returns the vectors of some words: without the mean of all, and by their
// principal components after the first few, the largest first.
func reduce(full source, kept []int) map[string][]float64 {
	n := len(full.vectors[0])
	mean := make([]float64, n)
	for _, i := range kept {
		for k, x := range full.vectors[i] {
			mean[k] += x / float64(len(kept))
		}
	}
	covariance := make([][]float64, n)
	for k := range covariance {
		covariance[k] = make([]float64, n)
	}
	centred := make([]float64, n)
	for _, i := range kept {
		for k, x := range full.vectors[i] {
			centred[k] = x - mean[k]
		}
		for k, x := range centred {
			for l := range k + 1 {
				covariance[k][l] += x * centred[l]
			}
		}
	}
	for k := range n {
		for l := range k {
			covariance[l][k] = covariance[k][l]
		}
	}
	axes := eigenvectors(covariance)
	slices.Reverse(axes) // those of the largest eigenvalues come first
	axes = axes[min(dropped, n):min(dropped+wordvectors.Dimensions, n)]
	made := make(map[string][]float64, len(kept))
	for _, i := range kept {
		v := make([]float64, wordvectors.Dimensions)
		for a, axis := range axes {
			for k, x := range full.vectors[i] {
				v[a] += (x - mean[k]) * axis[k]
			}
		}
		made[full.words[i]] = v
	}
	return made
}
