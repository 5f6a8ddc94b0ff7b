// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"fmt"
	"slices"
)

// OtherLanguageError says that a text is in a language that the evaluator does
// not know: it was not judged, and nothing is wrong with it.
type OtherLanguageError struct {
	Evaluator string // slug
	Language  string // ISO 639-1
}

// Error names the evaluator and the language.
func (e *OtherLanguageError) Error() string {
	return fmt.Sprintf("%s does not know the language %s", e.Evaluator, e.Language)
}

// InAnyLanguage returns the same evaluator, which judges texts of languages that it
// does not know as if it knew them.
func (e *Evaluator) InAnyLanguage() *Evaluator {
	made := *e
	made.anyLanguage = true
	return &made
}

// languageOf tells the language of what Run would judge, and whether it knows
// it. What cannot be told is taken for known.
func (r *runner[In, Cfg, Out]) languageOf(in In) (language string, known bool) {
	if r.Language == nil {
		return "", true
	}
	language = r.Language(in)
	return language, language == "" || slices.Contains(r.Languages, language)
}
