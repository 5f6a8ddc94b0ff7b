// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

var (
	//go:embed opposites.txt
	oppositesText string
	//go:embed excluding.txt
	excludingText string

	opposites = sync.OnceValue(func() map[string][]string { return readOpposites(oppositesText) })
	kinds     = sync.OnceValue(func() map[string][]kind { return readKinds(excludingText) })
)

// Opposites returns the stems that say the opposite of a stem.
func Opposites(stem string) []string { return opposites()[stem] }

// readOpposites reads lines of words, a bar, and words that say the opposite.
func readOpposites(text string) map[string][]string {
	opposite := map[string][]string{}
	for line := range strings.Lines(text) {
		one, other, paired := strings.Cut(line, "|")
		if !paired || strings.HasPrefix(line, "#") {
			continue
		}
		for _, a := range strings.Fields(one) {
			for _, b := range strings.Fields(other) {
				a, b := lexical.Stem(a), lexical.Stem(b)
				opposite[a], opposite[b] = append(opposite[a], b), append(opposite[b], a)
			}
		}
	}
	return opposite
}

// kind is a line of words of one kind, and the place of a word in it.
type kind struct{ line, place int }

// readKinds reads lines of words of which none is another.
func readKinds(text string) map[string][]kind {
	of := map[string][]kind{}
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		for place, words := range strings.Fields(line) {
			for word := range strings.SplitSeq(words, "/") {
				stem := lexical.Stem(word)
				of[stem] = append(of[stem], kind{n, place})
			}
		}
	}
	return of
}

// HasKind reports whether a stem is of a kind of which none is another.
func HasKind(stem string) bool { return len(kinds()[stem]) > 0 }

// OfOneKind reports whether two stems are of a kind of which none is another: months,
// colours, units.
func OfOneKind(a, b string) bool {
	others := kinds()[b]
	if len(others) == 0 {
		return false
	}
	for _, k := range kinds()[a] {
		for _, other := range others {
			if k.line == other.line && k.place != other.place {
				return true
			}
		}
	}
	return false
}

// excludes reports whether two stems exclude one another.
func excludes(a, b string) bool { return slices.Contains(Opposites(a), b) || OfOneKind(a, b) }
