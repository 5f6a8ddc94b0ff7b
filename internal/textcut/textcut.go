// SPDX-License-Identifier: Apache-2.0

// Package textcut cuts texts to a length without breaking a character.
package textcut

import "unicode/utf8"

// Bytes returns the beginning of a text, at most n bytes, less a character that
// would be broken.
func Bytes(text string, n int) string {
	n = max(n, 0)
	if len(text) <= n {
		return text
	}
	end := n
	// What is no UTF-8 has no beginning of a character to go back to.
	for end > max(n-utf8.UTFMax, 0) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Characters returns the first n characters of a text, and whether there were
// more.
func Characters(text string, n int) (beginning string, more bool) {
	for i := range text {
		if n <= 0 {
			return text[:i], true
		}
		n--
	}
	return text, false
}
