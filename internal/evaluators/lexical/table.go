// SPDX-License-Identifier: Apache-2.0

package lexical

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed frequencies.txt
var frequencies string

// known returns the table of word frequencies that is embedded.
var known = sync.OnceValue(func() *table {
	t, err := readTable(frequencies)
	if err != nil {
		panic(err) // A broken build.
	}
	return t
})

// table tells in how many of many texts a stem occurs.
type table struct {
	weights map[string]float64
	unseen  float64
	// telling is the weight from which a stem is telling.
	telling float64
}

// FrequentFrom is how many texts a stem must occur in to be in the table.
const FrequentFrom = 3

// readTable reads the number of texts, and then a line with the number of
// texts and the stems that occur in so many.
func readTable(text string) (*table, error) {
	head, rest, _ := strings.Cut(text, "\n")
	texts, err := strconv.Atoi(head)
	if err != nil || texts <= 0 {
		return nil, errors.New("frequencies: no number of texts")
	}
	weight := func(n float64) float64 { return math.Log((float64(texts) + 1) / (n + 0.5)) }
	t := &table{weights: map[string]float64{}, unseen: weight(FrequentFrom - 2), telling: weight(float64(texts) / 100)}
	for line := range strings.Lines(rest) {
		fields := strings.Fields(line)
		n, err := strconv.Atoi(fields[0])
		if err != nil || n < FrequentFrom || n > texts {
			return nil, fmt.Errorf("frequencies: %q is no number of texts", fields[0])
		}
		for _, stem := range fields[1:] {
			t.weights[stem] = weight(float64(n))
		}
	}
	return t, nil
}

// Weight tells how telling a stem is: near 0 for what every text has, highest
// for what was never seen.
func Weight(stem string) float64 {
	t := known()
	if w, ok := t.weights[stem]; ok {
		return w
	}
	return t.unseen
}

// Telling reports whether a stem says something about the subject of a text:
// at most one text in a hundred has it.
func Telling(stem string) bool { return Weight(stem) >= known().telling }
