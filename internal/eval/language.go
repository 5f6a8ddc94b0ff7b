// SPDX-License-Identifier: Apache-2.0

package eval

import "slices"

// InAnyLanguage returns the same evaluator, which judges texts of languages that it
// does not know as if it knew them.
func (e *Evaluator) InAnyLanguage() *Evaluator {
	made := *e
	made.anyLanguage = true
	return &made
}

// languageOf returns the language of the text that Run would judge, and whether Run
// knows it. A text whose language is not clear counts as known.
func (r *runner[In, Cfg, Out]) languageOf(in In) (language string, known bool) {
	if r.Language == nil {
		return "", true
	}
	language = r.Language(in)
	return language, language == "" || slices.Contains(r.Languages, language)
}
