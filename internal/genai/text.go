// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

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
