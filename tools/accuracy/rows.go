// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

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
