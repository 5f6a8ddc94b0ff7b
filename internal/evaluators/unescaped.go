// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/textfold"
)

// unescaped returns a text with HTML entities, JSON escapes and URL encoding
// decoded. Disguised letters are left: models read through them.
func unescaped(text string) string {
	if !strings.ContainsAny(text, `&\%`) {
		return text
	}
	return textfold.Fold(text).Text
}
