// SPDX-License-Identifier: Apache-2.0

// Package replies tells by its words whether a reply deals with a request, declines it
// or does not know.
package replies

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
	"github.com/touchstone-otel/touchstone/internal/evaluators/toolfailure"
)

var (
	//go:embed refusals.txt
	refusalRules string
	//go:embed turns.txt
	turnRules string

	refusalPhrases = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(refusalRules) })
	turnPhrases    = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(turnRules) })
)

// relevantFrom is the likeness of a question and an answer from which they are
// taken to belong together. It parts answers from answers to other questions
// best, on questions that were not used to find it.
const relevantFrom = 0.108

// subjectCounts is the weight of the nearness of the subjects of two texts next to the likeness
// of their words, which was found in the same way.
const subjectCounts = 0.135

// unlike is the likeness that texts without a word in common are taken to have, so
// that the form of an answer counts there too.
const unlike = 0.01

// Relevance is how sure the shared words, the subjects of both, and the form that was asked
// for, make it that an answer is to the question, 0.5 where it tips.
func Relevance(question, answer string) float64 {
	asked, answered := meaning.Of(question), meaning.Of(answer)
	likeness := asked.Cosine(answered) + subjectCounts*asked.Subject(answered)
	likeness = (likeness + unlike) * fits(question, answer)
	return likeness / (likeness + relevantFrom + unlike)
}

// Met reports whether a reply seems to deal with a request: it says something,
// declines nothing, is no error message, and shares telling words with the
// request if that has any and the reply is no mere name, number or the like.
func Met(request, reply string) bool {
	if lexical.Blank(reply) || Declines(reply) || toolfailure.InLine(reply) != "" {
		return false
	}
	return !SaysMuch(request) || isFragment(reply) || Relevance(request, reply) >= 0.5
}

// fragment is how many words a text has at most that may be no sentence.
const fragment = 4

// isFragment reports whether a text is a few words without a sentence around them, as one
// answers with a name, a number or "Done.": it need not share a word with what was asked.
// What asks back, mere small talk, that nothing is known ("No idea.", "N/A") and what
// tools say of a failure is none.
func isFragment(text string) bool {
	if strings.ContainsAny(text, "?？؟") {
		return false
	}
	n, says := 0, false
	for w := range lexical.EachWord(text) {
		word := strings.ToLower(w.Text)
		if n++; n > fragment || ofSentences[word] || notKnown[word] {
			return false
		}
		says = says || !smallTalk[w.Stem] && (len(w.Text) > 1 || w.Text >= "0" && w.Text <= "9")
	}
	return says && toolfailure.Of("", text) == ""
}

// ofSentences are words that only sentences have: the pronouns that they are about, and
// verbs that help others.
var ofSentences = map[string]bool{
	"i": true, "you": true, "he": true, "she": true, "we": true, "they": true, "there": true, "i'm": true, "you're": true, "we're": true, "they're": true, "i'll": true,
	"am": true, "is": true, "are": true, "was": true, "were": true, "has": true, "have": true, "had": true, "does": true, "do": true, "did": true,
	"can": true, "could": true, "will": true, "would": true, "should": true, "must": true, "may": true, "might": true, "not": true, "never": true,
}

// notKnown are words by which few say that they do not know.
var notKnown = map[string]bool{"idea": true, "clue": true, "unknown": true, "unsure": true, "unavailable": true}

// SaysMuch reports whether a text has words that tell of its subject, which a
// greeting or thanks has not.
func SaysMuch(text string) bool {
	for w := range lexical.EachWord(text) {
		if lexical.Telling(w.Stem) && !smallTalk[w.Stem] {
			return true
		}
	}
	return false
}

// smallTalk are stems that are rare in texts and say nothing all the same.
var smallTalk = map[string]bool{
	"hi": true, "hello": true, "hey": true, "bye": true, "goodby": true, "thank": true, "thanks": true, "pleas": true,
	"ok": true, "okay": true, "yes": true, "no": true, "yep": true, "nope": true, "sure": true, "great": true, "fine": true,
	"cool": true, "nice": true, "perfect": true, "welcom": true, "sorri": true, "cheer": true, "greet": true, "instead": true, "actual": true,
}
