// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/feelings"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// Words by which a low or high probability of toxicity does not tell. ADR 0106 has the figures.
var (
	// reporting are stems of reports, apologies, rules of conduct and talk about words.
	reporting = stemsOf("said say told tell call tweet wrote write film movie book novel song quote quoted word phrase slur accuse court threatened bullied insult sorry apology apologize apologise wrong unacceptable hurtful racist sexist okay ok")
	// readers are words for the one who is written to, and persons those for others.
	readers = lexical.SetOf("you your yours youre you're you've you'll you'd yourself u ur ya yall y'all")
	persons = lexical.SetOf("he she they them him her his their person people man men woman women guy guys girl girls boy boys folk folks everyone someone anyone who those these")
	// harming are stems of what a threat or contempt in plain words speaks of.
	harming = stemsOf("break burn smash cut shoot stab bleed kill die dead death hurt harm hit punch kick slap choke strangle beat bullet knife gun bat blood grave funeral coffin hospital regret pay suffer live address watch eye alive unalive born walk teeth throat bone leg neck skull wish gone alone visit " +
		"ashamed disappoint laugh brain iq ugly mother mom mommy mum dog breathe waste useless worthless failure loser clown cry baby smart dumb personality ratio cope grass")
)

const (
	// surelyAbusive is the probability from which words of abuse are meant, regardless of their target.
	surelyAbusive = 0.76
	// calmlyTold is the score from which a neutral or joyful tone shows that no harm is meant,
	// and surelyHarmless the probability of toxicity below which no tone counts.
	calmlyTold     = 0.6
	surelyHarmless = 0.05
)

// mentionsAny reports whether a text has a word of a set, or one of some stems.
func mentionsAny(text string, words map[string]bool, stems map[string]bool) bool {
	for w := range lexical.EachWord(text) {
		if stems[w.Stem] || words[strings.ReplaceAll(strings.ToLower(w.Text), "’", "'")] {
			return true
		}
	}
	return false
}

// perhapsUnmeant reports whether abuse in a sentence may be reported, quoted or denied, or be
// said of a thing.
func perhapsUnmeant(sentence string, p float64) bool {
	if strings.ContainsAny(sentence, `"“”«»`) || mentionsAny(sentence, nil, reporting()) {
		return true
	}
	return p < surelyAbusive && (deniesAny([]string{sentence}) || !mentionsAny(sentence, readers, nil) && !mentionsAny(sentence, persons, nil))
}

// perhapsMeant reports whether a short text may threaten or belittle its reader without a
// word of abuse.
func perhapsMeant(text string, p float64) bool {
	if len(text) > hidingPlace || !mentionsAny(text, readers, nil) {
		return false
	}
	if mentionsAny(text, nil, harming()) {
		return true
	}
	tone, score, ok := toneModel().Best(feelings.Stated(text))
	return p > surelyHarmless && ok && (tone != "neutral" && tone != "joy" || score < calmlyTold)
}
