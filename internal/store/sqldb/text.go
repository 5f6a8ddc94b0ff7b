// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// storable reports whether every SQL database takes the texts.
func storable(texts ...string) bool {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return false
		}
	}
	return true
}

func notStorable(what string) error {
	return fault.New(fault.Invalid, "%s must be UTF-8 without NUL characters", what)
}
