// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
	"github.com/touchstone-otel/touchstone/internal/evaluators/quantities"
	"github.com/touchstone-otel/touchstone/internal/evaluators/replies"
)

// wordFacts is how far an answer says what the right one says, by their words: the F1 of
// those that tell something and are not of the question, near ones counting in part, less
// the sentences by which the answer says otherwise. To a question for yes or no, what
// either says to it decides.
func (in answerCorrectnessInput) wordFacts() float64 {
	claims := statementsOf(lexical.Sentences(in.Completion))
	given := newSupport(in.Question, strings.Join(statementsOf(lexical.Sentences(in.GroundTruth)), "\n"))
	wrong := 0
	for _, s := range claims {
		if c := given.claim(s); given.contradicts(&c) {
			wrong++
		}
	}
	facts := in.sharedFacts()
	if said, right := polarity(in.Question, in.Completion), polarity(in.Question, in.GroundTruth); said != 0 && right != 0 {
		if said != right {
			return 0
		}
		facts = max(facts, sameAnswer)
	}
	if wrong > 0 {
		facts *= 1 - share(wrong, len(claims))
	}
	return facts
}

// sameAnswer is what the same yes or no counts at least, whatever else the texts say.
const sameAnswer = 0.75

// sharedFacts is the F1 of the words. Where either has none but those of the question,
// those count as well.
func (in answerCorrectnessInput) sharedFacts() float64 {
	truth := factsOf(quantities.Words(in.GroundTruth))
	answer := factsOf(quantities.Matched(in.Completion, func(stem string) bool { return truth.at[stem] }))
	asked := map[string]bool{}
	for w := range lexical.EachWord(in.Question) {
		asked[w.Stem] = true
	}
	if a, t := answer.without(asked), truth.without(asked); len(a.words) > 0 && len(t.words) > 0 {
		answer, truth = a, t
	}
	if len(truth.words) <= mostOfQuantity && otherQuantity(answer, truth) {
		return 0
	}
	if len(answer.words) == 0 || len(truth.words) == 0 {
		said, right := lexical.BagOf(in.Completion), lexical.BagOf(in.GroundTruth)
		if len(said)+len(right) == 0 && !lexical.SameSigns(in.Completion, in.GroundTruth) {
			return 0
		}
		return lexical.F1(said, right)
	}
	precision, recall := answer.coveredBy(truth), truth.coveredBy(answer)
	if precision+recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}

// mostOfQuantity is how many words that tell something a right answer has at most that is a
// quantity and nothing else.
const mostOfQuantity = 3

// otherQuantity reports whether an answer has none of the numbers of the right one, or the
// right one with a word of another of its kind: 5 miles for 5 km, 2 May for 2 June.
func otherQuantity(answer, truth facts) bool {
	counts, same, words := false, false, false
	for _, stem := range truth.stems {
		if has := answer.at[stem]; isCount(stem) {
			counts, same = true, same || has
		} else {
			words = words || has
		}
	}
	if !counts || !same {
		return counts && (!words || slices.ContainsFunc(answer.stems, isCount))
	}
	for _, stem := range truth.stems {
		if isCount(stem) || answer.at[stem] {
			continue
		}
		if slices.ContainsFunc(answer.stems, func(other string) bool { return !truth.at[other] && meaning.OfOneKind(stem, other) }) {
			return true
		}
	}
	return false
}

// facts are the words of a text that tell something, each once.
type facts struct {
	words []meaning.Word
	stems []string
	at    map[string]bool
}

// factsOf returns those of a text by its words.
func factsOf(words []lexical.Word) facts {
	f := facts{at: map[string]bool{}}
	for _, w := range words {
		if f.at[w.Stem] || !lexical.Telling(w.Stem) && !isCount(w.Stem) {
			continue
		}
		f.add(meaning.WordOf(w), w.Stem)
	}
	return f
}

func (f *facts) add(w meaning.Word, stem string) {
	f.words, f.stems = append(f.words, w), append(f.stems, stem)
	f.at[stem] = true
}

// without returns the words less some.
func (f *facts) without(stems map[string]bool) facts {
	rest := facts{at: map[string]bool{}}
	for i, stem := range f.stems {
		if !stems[stem] {
			rest.add(f.words[i], stem)
		}
	}
	return rest
}

// coveredBy is the share of the words by weight that others have, near ones in part.
func (f *facts) coveredBy(others facts) float64 {
	found, all := 0.0, 0.0
	for i, stem := range f.stems {
		weight := lexical.Weight(stem)
		all += weight
		if others.at[stem] {
			found += weight
			continue
		}
		near := 0.0
		if i < longestSentence && f.words[i].HasNear() {
			for k := range others.words[:min(len(others.words), longestSentence)] {
				near = max(near, f.words[i].Near(&others.words[k]))
			}
		}
		found += weight * near
	}
	return found / all
}

var (
	// forYesOrNo is how a question for yes or no begins.
	forYesOrNo = regexp.MustCompile(`(?i)^\W*(?:is|are|am|was|were|do|does|did|can|could|will|would|has|have|had|should|shall|may|must)(?:n['’]t)?\s`)
	// yesOrNo is an answer to it in a word.
	yesOrNo = regexp.MustCompile(`(?i)^\W*(?:(yes|yep|yeah|correct|true|right)|no|nope|incorrect|false|wrong)\b`)
)

// The least share of a sentence's words that a question must have so that they decide its
// yes or no, and how many words an answer in a pronoun and a verb has at most.
const (
	polarityFrom = 0.4
	briefWords   = 4
)

// meant are the pronouns that a brief answer begins with.
var meant = lexical.SetOf("it they he she you we there that this these those")

// polarity returns what a text says to a question for yes or no: 1 for yes, -1 for no and
// 0 if it is not clear.
func polarity(question, text string) int {
	if !forYesOrNo.MatchString(question) {
		return 0
	}
	if at := yesOrNo.FindStringSubmatchIndex(text); at != nil {
		if at[2] >= 0 {
			return 1
		}
		return -1
	}
	sentences := lexical.FirstSentences(text, 1)
	if len(sentences) == 0 || replies.Declines(text) {
		return 0
	}
	asked := newSupport("", question)
	c := asked.claim(strings.TrimSpace(sentences[0]))
	odd := len(c.denials)%2 == 1
	if c.at < 0 || c.likeness == 0 {
		if len(c.words) > briefWords || c.hedged || !meant[c.words[0].Stem] {
			return 0
		}
	} else {
		near := &asked.sentences[c.at]
		has := make(map[int32]int, len(near.stems))
		for i, stem := range near.stems {
			has[stem] = i
		}
		turned, denied, weight := asked.opposed(&c, near, has)
		if c.likeness+weight < polarityFrom || c.hedged != near.hedged {
			return 0
		}
		odd = (len(c.denials)+len(near.denials)-denied)%2 == 1 != turned
	}
	if odd {
		return -1
	}
	return 1
}
