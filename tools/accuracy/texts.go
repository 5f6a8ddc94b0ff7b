// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// output returns one output of the evaluator on several texts.
func (b *bench) output(name string, texts map[string]string) (any, error) {
	return b.asks(texts, name, nil)
}

// tableOf returns the rows of a table of ours: lines of so many columns, which tabs
// part. Only the last may have tabs in it.
func tableOf(name, text string, columns int) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(text) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", columns)
		if len(row) != columns {
			return nil, fmt.Errorf("%s: a line has %d columns", name, len(row))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// pair is two texts and how alike people find them, 0 to 5.
type pair struct {
	first, second string
	likeness      float64
}

// pairs reads a split of the STS benchmark.
func pairs(data, split string) ([]pair, error) {
	f, err := os.Open(filepath.Join(data, "stsb-en", "stsb-en-"+split+".csv")) //nolint:gosec // the directory is the caller's
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	read := make([]pair, len(lines))
	for i, line := range lines {
		if len(line) != 3 {
			return nil, fmt.Errorf("stsb-en: line %d has %d columns", i+1, len(line))
		}
		likeness, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			return nil, fmt.Errorf("stsb-en: line %d: %w", i+1, err)
		}
		read[i] = pair{line[0], line[1], likeness}
	}
	return read, nil
}

// claim is a sentence and what was found about it.
type claim struct {
	Label    string   `json:"label"`
	Text     string   `json:"claim"`
	Evidence []string `json:"evidence"`
}

// claims reads the claims of WiCE that are for development.
func claims(data string) ([]claim, error) {
	f, err := os.Open(filepath.Join(data, "wice", "claim_dev.jsonl")) //nolint:gosec // the directory is the caller's
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var read []claim
	for d := json.NewDecoder(f); ; {
		var c claim
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return read, nil
		} else if err != nil {
			return nil, fmt.Errorf("wice: %w", err)
		}
		read = append(read, c)
	}
}

// balanced is the mean of the shares of either class that were told right.
func (c counts) balanced() float64 {
	return (ratio(c.hits, c.hits+c.misses) + ratio(c.passes, c.passes+c.alarms)) / 2
}

// correlation is Pearson's of two lists.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	meanA, meanB := 0.0, 0.0
	for i := range a {
		meanA += a[i] / n
		meanB += b[i] / n
	}
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		ab += x * y
		aa += x * x
		bb += y * y
	}
	return ratio(ab, math.Sqrt(aa*bb))
}
