// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var profanity = recipe{
	bits: 16, labels: []string{"profanity"}, cost: 4,
	examples: func(data string) ([]example, error) {
		tweets, err := dataset.Davidson(data)
		if err != nil {
			return nil, err
		}
		comments, err := dataset.Set(data, "toxic-spans")
		if err != nil {
			return nil, err
		}
		clean, err := benign(data)
		if err != nil {
			return nil, err
		}
		words, err := dataset.Set(data, "clean-words")
		if err != nil {
			return nil, err
		}
		people, err := kindToPeople(data)
		if err != nil {
			return nil, err
		}
		plain, err := plainSentences(data, "en")
		if err != nil {
			return nil, err
		}
		tweets, _ = dataset.Split(tweets)
		comments, _ = dataset.Split(comments)
		words, _ = dataset.Halve(words)
		return slices.Concat(
			from(tweets, 1, among("hate", "offensive")),
			from(labelled(comments, "obscene"), 1, as(0)),
			from(words, 0.5, as(none)), clean, people, plain,
		), nil
	},
}

// benign returns texts to which no reader would object: questions, answers and requests.
func benign(data string) ([]example, error) {
	questions, answers, err := dataset.HaluEval(data)
	if err != nil {
		return nil, err
	}
	requests, err := dataset.Clinc(data, "train")
	if err != nil {
		return nil, err
	}
	rest, err := dataset.Clinc(data, "oos_train")
	if err != nil {
		return nil, err
	}
	questions, _ = dataset.Split(questions)
	answers, _ = dataset.Split(answers)
	return from(slices.Concat(questions, answers, requests, rest), 1, as(none)), nil
}

const (
	// mildest is the severity from which a term of the lexicon is taken.
	mildest = 1.2
	// longest is the number of words a term may have.
	longest = 4
)

// profanityTerms returns the terms of the lexicon, folded, one in a line, without
// those that people use without offence.
func profanityTerms(data string) ([]byte, error) {
	lexicon, err := dataset.Profanity(data)
	if err != nil {
		return nil, err
	}
	u, err := readUsage(data)
	if err != nil {
		return nil, err
	}
	grades := map[string]string{}
	for _, t := range lexicon {
		words := folded(t.Text)
		term := strings.Join(words, " ")
		if t.Severity < mildest || len(words) == 0 || len(words) > longest || len(term) < 3 || strings.ContainsAny(term, "0.!?:@") {
			continue
		}
		if !ordinary[term] && !u.harmless(term, t.Severity) {
			grades[term] = worse(grades[term], grade(t))
		}
	}
	var b strings.Builder
	for _, term := range slices.Sorted(maps.Keys(grades)) {
		b.WriteString(grades[term] + ": " + term + "\n")
	}
	return []byte(b.String()), nil
}

// grave is the severity from which a term is strong.
const grave = 1.6

// grade returns mild, strong or slur for a term: slurs are those against a people
// or a sexuality, and those against the disabled.
func grade(t dataset.Term) string {
	switch {
	case t.Category == "racial / ethnic slurs", t.Category == "mental disability" && t.Severity >= 2.2, slurred[t.Root]:
		return "slur"
	case t.Severity >= grave, t.Root == "bitch", t.Root == "fuck":
		return "strong"
	default:
		return "mild"
	}
}

// slurred are the roots of slurs that the lexicon files under sex.
var slurred = map[string]bool{"faggot": true, "dyke": true, "tranny": true, "gay": true, "homosexual": true, "lesbian": true, "shemale": true, "ladyboy": true, "queer": true, "nigger": true}

func worse(a, b string) string {
	order := []string{"", "mild", "strong", "slur"}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// ordinary are terms that have a harmless meaning, too rare in the data to
// show: in gardens, kitchens, cryptography, history, reports of crimes.
var ordinary = func() map[string]bool {
	terms := map[string]bool{}
	for term := range strings.SplitSeq("axe wound, bastinado, blacky, cack, china virus, chinese virus, coot, double pen, dump a load, groper, "+
		"hoe, jigger, jiggers, knickers, knob, loose woman, milf, molester, mongrel, nymphomaniac, negro, negroes, negroid, nobs, nonce, nonces, "+
		"pecker, puss, pussy cat, redskin, slag, slit, sobs, spook, spooks, spunk, tosser, transvestite, "+
		// Rude only in some company: the rules of the evaluator have them.
		"cock, pussy, homo, dyke, fag, coon, chink, jap, dago, wop, cum, cums, boner, schlong, polack, wang, mong, tramp, tart, chocha, spic, "+
		"spick, skirt, dong, weenie, crotchy, cholo, coolie, darkie, honkey, camel jockey, cracker, honky, gringo, snatch, muff, beaver, bender", ", ") {
		terms[term] = true
	}
	return terms
}()

// usage counts the texts in which a run of words occurs: clean ones, casual
// ones that few would object to, and offensive ones.
type usage struct {
	clean, casual, foul map[string]int
	names               map[string]bool
}

// harmless reports whether a term of a severity is mostly met where it offends
// no one. The milder it is, the less it takes.
func (u usage) harmless(term string, severity float64) bool {
	clean, casual, foul := u.clean[term], u.casual[term], u.foul[term]
	switch {
	case clean > foul/4:
		return true
	case u.names[term] && foul < 10:
		return true
	case severity < 1.6 && casual > foul && foul < 20:
		return true
	default:
		return severity < 2.5 && casual > 4*foul+4
	}
}

func readUsage(data string) (usage, error) {
	u := usage{clean: map[string]int{}, casual: map[string]int{}, foul: map[string]int{}}
	tweets, err := dataset.Davidson(data)
	if err != nil {
		return u, err
	}
	good, err := benign(data)
	if err != nil {
		return u, err
	}
	comments, err := dataset.GoEmotions(data, "train")
	if err != nil {
		return u, err
	}
	for _, e := range good {
		count(u.clean, e.text)
	}
	for _, r := range comments {
		if r.Label == "neutral" || r.Label == "joy" {
			count(u.casual, r.Text)
		}
	}
	training, _ := dataset.Split(tweets)
	for _, r := range training {
		if r.Label == "neither" {
			count(u.casual, r.Text)
		} else {
			count(u.foul, r.Text)
		}
	}
	u.names, err = dataset.Names(data)
	return u, err
}

// count adds one for each run of words that a text has.
func count(texts map[string]int, text string) {
	words := folded(text)
	seen := map[string]bool{}
	for i := range words {
		for n := 1; n <= longest && i+n <= len(words); n++ {
			run := strings.Join(words[i:i+n], " ")
			if !seen[run] {
				seen[run] = true
				texts[run]++
			}
		}
	}
}

func folded(text string) []string {
	var tokens linear.Tokens
	var words []string
	tokens.Reset(text)
	for tokens.Next() {
		word, _ := tokens.Token()
		words = append(words, string(word))
	}
	return words
}
