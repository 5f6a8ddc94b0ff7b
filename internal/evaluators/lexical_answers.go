// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

var (
	//go:embed lexical_refusals.txt
	refusalRules string
	//go:embed lexical_turns.txt
	turnRules string
	//go:embed lexical_hedges.txt
	hedgeRules string

	refusalPhrases = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(refusalRules) })
	turnPhrases    = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(turnRules) })
	hedgePhrases   = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(hedgeRules) })
)

// relevantFrom is the likeness of a question and an answer from which they are
// taken to belong together. It parts answers from answers to other questions
// best, on questions that were not used to find it.
const relevantFrom = 0.075

// relevance is how sure the shared words make it that an answer is to the
// question, 0.5 where it tips.
func relevance(question, answer string) float64 {
	likeness := lexical.Cosine(lexical.BagOf(question), lexical.BagOf(answer))
	return likeness / (likeness + relevantFrom)
}

// met reports whether a reply seems to deal with a request: it says something,
// declines nothing, is no error message, and shares telling words with the
// request if that has any.
func met(request, reply string) bool {
	if blank(reply) || declines(reply) || lineFailure(reply, strings.ToLower(reply), errorLines) != "" {
		return false
	}
	return !saysMuch(request) || relevance(request, reply) >= 0.5
}

// saysMuch reports whether a text has words that tell of its subject, which a
// greeting or thanks has not.
func saysMuch(text string) bool {
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

func blank(text string) bool { return strings.TrimSpace(text) == "" }
