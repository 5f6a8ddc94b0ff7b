// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longest is how many characters of a text are looked at.
const longest = 4000

// Prepare returns the bytes of a text that a model looks at: composed, with one
// space for each run of white space, and cut.
func Prepare(text string) []byte {
	if len(text) > 16*longest {
		text = text[:16*longest]
	}
	text = strings.Join(strings.Fields(norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD"))), " ")
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest])
	}
	return []byte(text)
}
