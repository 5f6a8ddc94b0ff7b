// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// plainSentences returns everyday sentences of some languages, all where none is
// named.
func plainSentences(data string, languages ...string) ([]example, error) {
	rows, err := dataset.Tatoeba(data)
	if err != nil {
		return nil, err
	}
	rows, _ = dataset.Split(rows)
	var kept []dataset.Row
	for _, r := range rows {
		if len(languages) == 0 || slices.Contains(languages, r.Language) {
			kept = append(kept, r)
		}
	}
	return from(kept, 1, as(none)), nil
}

// kindToPeople returns kind sentences about every group of people.
func kindToPeople(data string) ([]example, error) {
	rows, err := dataset.Set(data, "jigsaw-madlibs-half")
	if err != nil {
		return nil, err
	}
	rows, _ = dataset.Split(only(rows, "0"))
	return from(rows, 0.3, as(none)), nil
}

// only returns the rows of some labels.
func only(rows []dataset.Row, labels ...string) []dataset.Row {
	var kept []dataset.Row
	for _, r := range rows {
		if slices.Contains(labels, r.Label) {
			kept = append(kept, r)
		}
	}
	return kept
}

// labelled returns the rows that have a label in addition to the one they are sorted by.
func labelled(rows []dataset.Row, label string) []dataset.Row {
	var kept []dataset.Row
	for _, r := range rows {
		if slices.Contains(r.Labels, label) {
			kept = append(kept, r)
		}
	}
	return kept
}
