// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"sort"
	"strings"
)

const (
	// maxRow is the length of the longest line that is read as a row.
	maxRow = 4096
	// maxHead is how many words the head of a column has at most.
	maxHead = 4
)

// table is a head row and the rows below it.
type table struct {
	start, body, end int // bytes of the text
	delimiter        byte
}

// tables returns the tables of the text: lines in a row with as many of one
// delimiter in each.
func (s *scan) tables() []table {
	if s.tabled {
		return s.rows
	}
	s.tabled = true
	if strings.IndexByte(s.text, '\n') < 0 {
		return nil
	}
	open := false
	var t table
	cells := 0
	for start := 0; start < len(s.text); {
		end := len(s.text)
		if n := strings.IndexByte(s.text[start:], '\n'); n >= 0 {
			end = start + n
		}
		line := s.text[start:end]
		if open && (len(line) > maxRow || countCells(line, t.delimiter) != cells) {
			s.closeTable(t)
			open = false
		}
		if !open && len(line) <= maxRow {
			if t.delimiter = delimiterOf(line); t.delimiter != 0 {
				t.start, t.body, cells, open = start, min(end+1, len(s.text)), countCells(line, t.delimiter), true
			}
		}
		t.end = end
		start = end + 1
	}
	if open {
		s.closeTable(t)
	}
	return s.rows
}

func (s *scan) closeTable(t table) {
	if t.body < t.end {
		s.rows = append(s.rows, t)
	}
}

// delimiterOf returns what a row has between its cells, 0 if it is none.
func delimiterOf(line string) byte {
	for _, c := range []byte("\t|;,") {
		if strings.IndexByte(line, c) >= 0 {
			return c
		}
	}
	return 0
}

// countCells counts the delimiters that are not between quotes.
func countCells(line string, delimiter byte) int {
	if strings.IndexByte(line, '"') < 0 {
		return strings.Count(line, string(delimiter))
	}
	n, quoted := 0, false
	for i := range len(line) {
		switch line[i] {
		case '"':
			quoted = !quoted
		case delimiter:
			if !quoted {
				n++
			}
		}
	}
	return n
}

// head returns the tokens of the head of the column that byte i is in: the
// first and the one behind the last, the same if there is none.
func (s *scan) head(i int) (first, behind int) {
	tables := s.tables()
	n := sort.Search(len(tables), func(k int) bool { return tables[k].end > i })
	if n == len(tables) || tables[n].body > i {
		return 0, 0
	}
	t := tables[n]
	column := countCells(s.text[strings.LastIndexByte(s.text[:i], '\n')+1:i], t.delimiter)
	start := t.start
	for ; column > 0; column-- {
		start += strings.IndexByte(s.text[start:t.body], t.delimiter) + 1
	}
	end := t.body
	if n := strings.IndexByte(s.text[start:t.body], t.delimiter); n >= 0 {
		end = start + n
	}
	first, behind = s.around(start, end)
	if behind-first > maxHead {
		return 0, 0
	}
	return first, behind
}
