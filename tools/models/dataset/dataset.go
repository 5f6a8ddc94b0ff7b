// SPDX-License-Identifier: Apache-2.0

// Package dataset reads the labelled data sets that models are trained on and
// evaluators are measured with, and says which rows are for which: a row is
// held out or it is not, for every program alike.
package dataset

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Row is one labelled text.
type Row struct {
	Text  string
	Label string
	// Group names rows that belong to one case: held out together or not.
	Group string
	// Language, Kind, Split and Labels are what a set tells besides, "" and
	// nil where it does not.
	Language, Kind, Split string
	Labels                []string
}

// lot is a number drawn for the group or the text, the same every time.
func (r Row) lot() uint64 {
	key := r.Group
	if key == "" {
		key = strings.ToLower(strings.Join(strings.Fields(r.Text), " "))
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, key) // a hash takes everything
	return h.Sum64() >> 17
}

// Part parts rows into those for training and one in n, which are held out.
func Part(rows []Row, n uint64) (training, heldOut []Row) {
	for _, r := range rows {
		if r.lot()%n == 0 {
			heldOut = append(heldOut, r)
		} else {
			training = append(training, r)
		}
	}
	return training, heldOut
}

// Tune parts rows for training into those to fit weights to and one in ten, by
// which settings and calibration are chosen. None of them is held out.
func Tune(training []Row) (fitting, tuning []Row) {
	for _, r := range training {
		if r.lot()/heldOutOf%heldOutOf == 0 {
			tuning = append(tuning, r)
		} else {
			fitting = append(fitting, r)
		}
	}
	return fitting, tuning
}

// Halve parts the rows of a small set, of which a tenth would prove nothing:
// one half is for training and one is held out.
func Halve(rows []Row) (training, heldOut []Row) { return Part(rows, 2) }

// Split parts rows into those for training and those held out.
func Split(rows []Row) (training, heldOut []Row) { return Part(rows, heldOutOf) }

// heldOutOf is the number of rows of which one is held out.
const heldOutOf = 10

// Has reports whether the directory has a data set.
func Has(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.IsDir()
}

// table reads a file of separated values with a header. Each row is given as a
// function from the name of a column to its value.
func table(dir, name string, row func(column func(string) string) error) error {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name))) //nolint:gosec // the directory is the caller's to choose
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	r := csv.NewReader(f)
	r.LazyQuotes = false
	head, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	columns := make(map[string]int, len(head))
	for i, c := range head {
		columns[strings.TrimPrefix(c, "\ufeff")] = i
	}
	for line := 2; ; line++ {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) && line > 2 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		missing := ""
		err = row(func(column string) string {
			i, ok := columns[column]
			if !ok {
				missing = column
				return ""
			}
			return cells[i]
		})
		if missing != "" {
			return fmt.Errorf("%s: there is no column %q", name, missing)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
}

// read returns what a file holds.
func read(dir, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))) //nolint:gosec // the directory is the caller's to choose
}

// object reads a file of JSON into value.
func object(dir, name string, value any) error {
	text, err := read(dir, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// lines reads a file of JSON objects, one after another, and calls each.
func lines[T any](dir, name string, each func(T)) error {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name))) //nolint:gosec // the directory is the caller's to choose
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	d := json.NewDecoder(f)
	for n := 0; ; n++ {
		var value T
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		each(value)
	}
}
