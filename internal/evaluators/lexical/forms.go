// SPDX-License-Identifier: Apache-2.0

package lexical

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed forms.txt
var forms string

// UsualFrom is how many texts a word must occur in to be a usual one.
const UsualFrom = 5

// usual gives the stems of usual words: a stemmer takes a hundred times longer.
var usual = sync.OnceValue(func() map[string]string { return readForms(forms) })

// readForms reads lines with a stem and the words that have it.
func readForms(text string) map[string]string {
	stems := make(map[string]string, strings.Count(text, " "))
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for _, word := range fields[min(1, len(fields)):] {
			stems[word] = fields[0]
		}
	}
	return stems
}

// Usual reports whether a word, in lower case, is one that many texts have.
func Usual(word string) bool { return usual()[word] != "" }
