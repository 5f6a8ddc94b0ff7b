// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/span"
)

const replacement = "\uFFFD"

// clean returns text as every later stage can take it: valid UTF-8 without NUL
// bytes. What is neither becomes U+FFFD.
func clean(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, replacement), "\x00", replacement)
}

// cleanText returns an attribute's value as a name or the like.
func cleanText(v pcommon.Value) string { return clean(valueText(v)) }

// firstOf returns the first text that is not empty.
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

// appendMember appends name, which is the spelling of a JSON member's name with
// what stands around it, and value as a JSON string.
func appendMember(b []byte, name, value string) []byte {
	return span.AppendQuoted(append(b, name...), value)
}
