// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/language"
)

//go:embed german.txt
var germanWords string

// glossary has the English words for German ones that demands on the form of an answer
// are put in.
type glossary struct {
	words *regexp.Regexp
	means map[string]string
}

var german = sync.OnceValue(func() glossary {
	g := glossary{means: map[string]string{}}
	var all []string
	for line := range strings.Lines(germanWords) {
		english, words, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.SplitSeq(words, ",") {
			word = strings.TrimSpace(word)
			g.means[word] = strings.TrimSpace(english)
			all = append(all, regexp.QuoteMeta(word))
		}
	}
	// Of what begins alike, the longest is meant.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	g.words = regexp.MustCompile(`(?i)"[^"\n]*"|(?:` + strings.Join(all, "|") + `)|[\pL]+`)
	return g
})

// inEnglish returns German instructions with the demands in English. What is quoted stays,
// and so do other languages.
func inEnglish(instructions string) string {
	if of := language.Of(instructions); of != language.German && (of != "" || !germanSign.MatchString(instructions)) {
		return instructions
	}
	g := german()
	var b strings.Builder
	for rest := instructions; rest != ""; {
		at := g.words.FindStringIndex(rest)
		if at == nil {
			b.WriteString(rest)
			break
		}
		word := rest[at[0]:at[1]]
		// A word that goes on is another one.
		if tail := wordTail.FindString(rest[at[1]:]); tail != "" && word[0] != '"' {
			at[1] += len(tail)
			word = rest[at[0]:at[1]]
		}
		b.WriteString(rest[:at[0]])
		if english, known := g.means[strings.ToLower(word)]; known {
			word = english
		}
		b.WriteString(word)
		rest = rest[at[1]:]
	}
	return b.String()
}

var (
	wordTail = regexp.MustCompile(`^\pL+`)
	// germanSign are words of German demands that no English text has.
	germanSign = regexp.MustCompile(`(?i)\b(?:antworte\w*|schreibe?n?|höchstens|mindestens|maximal|keine[nm]?|nicht|nur|ohne|und|oder|mit|beginne|beende|verwende|nenne|zeige?|wörter\w*|sätze\w*|genau|auf\s+deutsch)(?:[^\pL]|$)`)
)
