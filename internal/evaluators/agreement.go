// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"slices"
	"strings"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/quantities"
)

// agreement is what the words of two texts tell of whether they agree, without any
// knowledge of what the words mean.
type agreement int

const (
	unknownAgreement agreement = iota
	agrees                     // one says what the other says, word for word
	denies                     // the same words, and one of them is negated
	differs                    // the same words, and other numbers or units
)

var (
	// negations are words that deny, and what is left of a word that they are part of.
	negations = map[string]string{
		"not": "", "no": "", "never": "", "none": "", "nothing": "", "neither": "", "nor": "", "without": "",
		"cannot": "can", "can't": "can", "won't": "will", "don't": "", "doesn't": "", "didn't": "",
	}
	// helping are verbs that say nothing before a negation.
	helping = lexical.SetOf("do does did")
	// conditionals are words by which what goes before does not hold by itself.
	conditionals = lexical.SetOf("if unless until when only except before but though although")
)

// negated reports whether a word denies, and returns the word without it.
func negated(word string) (rest string, is bool) {
	if rest, is = negations[word]; is {
		return rest, true
	}
	return strings.CutSuffix(word, "n't")
}

// plainWords are the words of a sentence in their order, as stems.
type plainWords struct {
	all            []string // with a "not" for every negation
	words, numbers []string // but for negations and numbers, and the numbers
	negations      int
	isNumber       []bool // of all of them
}

func plainWordsOf(sentence string) (p plainWords) {
	helper := ""
	add := func(stem string) {
		p.all, p.words, p.isNumber = append(p.all, stem), append(p.words, stem), append(p.isNumber, false)
	}
	for w := range lexical.EachWord(sentence) {
		text := strings.ReplaceAll(strings.ToLower(w.Text), "’", "'")
		rest, denied := negated(text)
		if helper != "" && !denied {
			add(helper)
		}
		helper = ""
		switch {
		case denied:
			if rest != "" {
				add(lexical.Stem(rest))
			}
			p.all, p.isNumber = append(p.all, "not"), append(p.isNumber, false)
			p.negations++
		case helping[text]:
			helper = w.Stem
		case strings.IndexFunc(text, unicode.IsDigit) >= 0:
			p.all, p.numbers, p.isNumber = append(p.all, text), append(p.numbers, text), append(p.isNumber, true)
		default:
			add(w.Stem)
		}
	}
	if helper != "" {
		add(helper)
	}
	return p
}

// agree compares a sentence with another that may go on beyond it.
func (p *plainWords) agree(other *plainWords) agreement {
	n := len(p.all)
	switch {
	case len(p.words) == 0:
		return unknownAgreement
	case n <= len(other.all) && slices.Equal(p.all, other.all[:n]):
		if slices.ContainsFunc(other.all[n:], func(w string) bool { return conditionals[w] || w == "not" }) {
			return unknownAgreement
		}
		return agrees
	case slices.Equal(p.words, other.words) && slices.Equal(p.numbers, other.numbers) && (p.negations-other.negations == 1 || other.negations-p.negations == 1):
		return denies
	case n <= len(other.all) && p.hasOtherNumber(other):
		return differs
	}
	return unknownAgreement
}

// hasOtherNumber reports whether a sentence is the beginning of another but for its
// numbers, of which that lacks one, or but for a unit behind a number.
func (p *plainWords) hasOtherNumber(other *plainWords) (lacks bool) {
	for i, word := range p.all {
		switch {
		case word == other.all[i]:
		case i > 0 && p.isNumber[i-1] && p.all[i-1] == other.all[i-1] && quantities.OtherUnits(word, other.all[i]):
			lacks = true
		case !p.isNumber[i] || !other.isNumber[i]:
			return false
		case !slices.Contains(other.numbers, word):
			lacks = true
		}
	}
	return lacks
}

// agreementOf compares what a text says, sentence by sentence, with those of another. It
// agrees if every sentence of it does.
func agreementOf(said []string, other []plainWords) agreement {
	all := agrees
	for _, s := range said {
		p, best := plainWordsOf(s), unknownAgreement
		for i := range other {
			if a := p.agree(&other[i]); a == agrees || best == unknownAgreement {
				best = a
			}
			if best == agrees {
				break
			}
		}
		switch best {
		case denies, differs:
			return best
		case unknownAgreement:
			all = unknownAgreement
		case agrees:
		}
	}
	if len(said) == 0 {
		return unknownAgreement
	}
	return all
}

func plainWordsOfAll(sentences []string) []plainWords {
	list := make([]plainWords, len(sentences))
	for i, s := range sentences {
		list[i] = plainWordsOf(s)
	}
	return list
}

// sameWords reports whether two texts have words, and the same in the same order.
func sameWords(a, b string) bool {
	x := lexical.Stems(a)
	return len(x) > 0 && slices.Equal(x, lexical.Stems(b))
}

// deniesAny reports whether one of some sentences has a negation.
func deniesAny(sentences []string) bool {
	return slices.ContainsFunc(sentences, func(s string) bool { return plainWordsOf(s).negations > 0 })
}

// onlyAsks reports whether a text is nothing but a question, which answers nothing.
func onlyAsks(text string) bool {
	sentences := lexical.FirstSentences(text, 2)
	return len(sentences) == 1 && strings.HasSuffix(sentences[0], "?")
}
