// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// GoEmotions returns comments labelled by their emotions, of the official split
// train, dev or test. Texts of several emotions are left out.
func GoEmotions(dir, split string) ([]Row, error) {
	names, err := read(dir, "goemotions-ekman/labels.txt")
	if err != nil {
		return nil, err
	}
	labels := strings.Fields(string(names))
	file := "goemotions-ekman/" + split + ".tsv"
	text, err := read(dir, file)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return nil, fmt.Errorf("%s: line %d has %d cells", file, n+1, len(cells))
		}
		if strings.Contains(cells[1], ",") {
			continue
		}
		i, err := strconv.Atoi(cells[1])
		if err != nil || i < 0 || i >= len(labels) {
			return nil, fmt.Errorf("%s: line %d has no label", file, n+1)
		}
		rows = append(rows, Row{Text: cells[0], Label: labels[i]})
	}
	return rows, nil
}
