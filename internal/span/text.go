// SPDX-License-Identifier: Apache-2.0

package span

import (
	"strings"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// clean gives text as every later stage can take it: valid UTF-8 without NUL
// bytes. What is neither becomes U+FFFD.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, replacement), "\x00", replacement)
}

// firstOf gives the first text that is not empty.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// lines joins texts by newline, leaving out the empty ones.
func lines(texts []string) string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}
