// SPDX-License-Identifier: Apache-2.0

package sqlparser

import "strings"

// maxWork bounds what the scanner reads more than once: it takes a tenth of a
// second for as much.
const maxWork = 4 << 20

// operators are the characters that PostgreSQL's scanner reads as one run,
// before it decides how much of the run the operator or comment is.
const operators = "~!@#^&|`?+-*/%<>="

// scanWork is an upper bound of the characters that the scanner reads again. It
// puts back what follows the start of a comment, and what follows an operator
// that may not end in a plus or minus, and reads it again: in a run of them that
// is work with the square of its length. Runs count wherever they stand, since
// what is a string or a comment is for the scanner to say.
func scanWork(text string) int {
	work := 0
	for len(text) > 0 && work <= maxWork {
		start := strings.IndexAny(text, operators)
		if start < 0 {
			break
		}
		text = text[start:]
		run := text[:runLength(text)]
		work += len(run) * restarts(run)
		text = text[len(run):]
	}
	return work
}

func runLength(text string) int {
	for i := range len(text) {
		if strings.IndexByte(operators, text[i]) < 0 {
			return i
		}
	}
	return len(text)
}

// restarts counts the places in a run at which the scanner may begin again.
// Two dashes begin a comment that goes on to the end of the line.
func restarts(run string) int {
	count := strings.Count(run, "/*") + strings.Count(run, "+")
	for i := range len(run) {
		if run[i] == '-' && (i == 0 || run[i-1] != '-') {
			count++
		}
	}
	return count
}
