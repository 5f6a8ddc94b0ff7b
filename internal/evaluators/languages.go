// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/language"
)

// english are the languages of what was made for English.
var english = []string{language.English}

// written returns the language of texts that are judged together: the first that
// is not English, else English, and "" where none is recognized.
func written(texts ...string) string {
	told := ""
	for _, text := range texts {
		switch l := language.Of(text); l {
		case "":
		case language.English:
			told = l
		default:
			return l
		}
	}
	return told
}

// oneText returns several texts as one.
func oneText(all conversation.Texts) string { return strings.Join(all, "\n") }
