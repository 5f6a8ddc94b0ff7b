// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/tools/accuracy/disguise"
)

// sample is a text, whether something is in it, and what decides its half.
type sample struct {
	text  string
	want  bool
	group string
	kinds []string // of what is in it, where that is known
}

// isHeldOut reports whether a sample is of the half that nothing was tuned on, by a hash
// of its group.
func (s sample) isHeldOut() bool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, s.group) // a hash takes everything
	return h.Sum32()>>4%2 != 0
}

// heldOut returns the samples of that half.
func heldOut(samples []sample) []sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return !s.isHeldOut() })
}

// finds asks for a yes or no on every sample. A text that is refused because it
// is too suspicious counts as found.
func (b *bench) finds(samples []sample, output string) ([]verdict, error) {
	made := make([]verdict, len(samples))
	for i, s := range samples {
		got, err := b.ask(s.text, output, nil)
		if err != nil && !fault.Is(err, fault.TooLarge) {
			return nil, err
		}
		made[i] = verdict{got: err != nil || got == true, want: s.want}
	}
	return made, nil
}

// rates returns the recall and the share of alarms of samples, each with its
// interval.
func (b *bench) rates(set string, samples []sample, output string) ([]figure, error) {
	made, err := b.finds(samples, output)
	if err != nil {
		return nil, err
	}
	return tally(made).rates(set), nil
}

// rates returns the recall and the share of alarms, of what there is.
func (c counts) rates(set string) []figure {
	var figures []figure
	if n := c.hits + c.misses; n > 0 {
		figures = append(figures, proportion(set, "recall", c.hits, n))
	}
	if n := c.alarms + c.passes; n > 0 {
		figures = append(figures, proportion(set, "false alarms", c.alarms, n))
	}
	return figures
}

// proportion is a share with its interval.
func proportion(set, name string, hits, n float64) figure {
	return share(set, int(n), name, hits/n).within(bootstrap(int(n), func(sample []int) float64 {
		found := 0.0
		for _, i := range sample {
			if float64(i) < hits {
				found++
			}
		}
		return found / n
	}))
}

// hidden returns, for each way of hiding, how much of what is found in plain
// texts is found still.
func (b *bench) hidden(set string, samples []sample, output string) ([]figure, error) {
	var plain []sample
	for _, s := range samples {
		got, err := b.ask(s.text, output, nil)
		if err != nil {
			continue // what is refused plain tells nothing
		}
		if s.want && got == true {
			plain = append(plain, s)
		}
	}
	var figures []figure
	for _, way := range disguise.OfTexts {
		var hidden []sample
		for _, s := range plain {
			if text := way.Put(s.text); text != s.text {
				hidden = append(hidden, sample{text: text, want: true})
			}
		}
		made, err := b.finds(hidden, output)
		if err != nil {
			return nil, err
		}
		c := tally(made)
		figures = append(figures, proportion(set, "of plain recall, "+way.Name, c.hits, c.hits+c.misses).from(0.95))
	}
	return figures, nil
}

// jsonLines reads a file with an object in each line.
func jsonLines[T any](data, name string) ([]T, error) {
	f, err := os.Open(filepath.Join(data, name)) //nolint:gosec // the directory is the caller's
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var read []T
	for d := json.NewDecoder(f); ; {
		var row T
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return read, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		read = append(read, row)
	}
}

// plainTexts reads the texts of a set in which there is nothing to find.
func plainTexts(data, set string) ([]sample, error) {
	rows, err := jsonLines[struct{ Text string }](data, set+"/rows.jsonl")
	if err != nil {
		return nil, err
	}
	samples := make([]sample, len(rows))
	for i, r := range rows {
		samples[i] = sample{text: r.Text}
	}
	return samples, nil
}
