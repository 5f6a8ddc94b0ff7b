// SPDX-License-Identifier: Apache-2.0

// Package constraints finds in instructions what they ask of the form of an
// answer and a program can verify: counts of words, keywords, endings and the
// like. The kinds are those of IFEval.
//
// https://arxiv.org/abs/2311.07911
package constraints

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

// Constraint is an instruction that a program can verify.
type Constraint struct {
	About string
	Holds func(response string) bool
	// Tells reports whether a program can verify it for a response, nil if for every one.
	Tells func(response string) bool
}

// constraintReaders read constraints from instructions, each of one kind.
var constraintReaders = []func(instructions string) []Constraint{
	readWordCount, readSentenceCount, readParagraphCount, readBulletCount, readPlaceholderCount, readHighlightCount, readSectionCount,
	readNoCommas, readKeywords, readForbidden, readKeywordFrequency, readLetterFrequency,
	readCase, readCapitalWords,
	readTitle, readPostscript, readQuotation, readOpening, readEnding, readFirstWord, readJSONOnly, readTwoResponses, readChoice, readRepeat, readScript, readLanguage,
}

// Recognise returns the constraints in instructions.
func Recognise(instructions string) []Constraint {
	// Typographic quotation marks and apostrophes are quoted with in prompts.
	instructions = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'").Replace(instructions)
	var found []Constraint
	for _, read := range constraintReaders {
		found = append(found, read(instructions)...)
	}
	return found
}

// amount is how many of something there may be.
type amount struct{ least, most int }

func (a amount) has(n int) bool { return n >= a.least && n <= a.most }

const (
	article    = `an?|`
	numberOnly = `\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty`
	numberWord = article + numberOnly
	relation   = `at least|no fewer than|no less than|not less than|a minimum of|minimum|more than|over|at most|no more than|not more than|up to|a maximum of|maximum|` +
		`less than|fewer than|under|within|exactly|precisely|only|just|around|about|approximately|roughly|between`
	// quantity has the groups relation, number, upper number and what follows.
	quantity = `(?:\b(` + relation + `)\s+(?:the\s+)?)?\b(` + numberWord + `)\b(?:\s*(?:-|to|and)\s*(\d{1,6}))?\s*(or more|or fewer|or less|\+|plus)?`
)

var numberWords = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "once": 1, "twice": 2, "thrice": 3,
}

func number(text string) int {
	if n, ok := numberWords[strings.ToLower(text)]; ok {
		return n
	}
	n, _ := strconv.Atoi(text)
	return n
}

// newAmount reads the groups of quantity. Without a relation the number is
// exact or, for what is rarely counted exactly, about right.
func newAmount(groups []string, roughly bool) amount {
	n := number(groups[1])
	if groups[2] != "" {
		return amount{n, max(n, number(groups[2]))}
	}
	switch strings.ToLower(groups[3]) {
	case "or more", "+", "plus":
		return amount{n, math.MaxInt}
	case "or fewer", "or less":
		return amount{0, n}
	}
	switch strings.ToLower(groups[0]) {
	case "at least", "no fewer than", "no less than", "not less than", "a minimum of", "minimum":
		return amount{n, math.MaxInt}
	case "more than", "over":
		return amount{n + 1, math.MaxInt}
	case "at most", "no more than", "not more than", "up to", "a maximum of", "maximum", "within":
		return amount{0, n}
	case "less than", "fewer than", "under":
		return amount{0, n - 1}
	case "around", "about", "approximately", "roughly":
		roughly = true
	case "exactly", "precisely", "only", "just":
		roughly = false
	}
	if roughly {
		return amount{n - n/10, n + n/10}
	}
	return amount{n, n}
}

// counted makes a Constraint of each match of an expression that begins with a
// quantity, and of the count that a response has.
func counted(about string, expression *regexp.Regexp, instructions string, roughly bool, count func(response string) int) []Constraint {
	groups := expression.FindStringSubmatch(instructions)
	if groups == nil {
		return nil
	}
	want := newAmount(groups[1:], roughly)
	return []Constraint{{About: about, Holds: func(response string) bool { return want.has(count(response)) }}}
}

// quotedTexts returns what stands between quotation marks.
func quotedTexts(text string) []string {
	var list []string
	for _, found := range quotedText.FindAllStringSubmatch(text, -1) {
		if text := strings.TrimSpace(found[1] + found[2]); strings.IndexFunc(text, pytext.IsWordRune) >= 0 {
			list = append(list, text)
		}
	}
	return list
}

var quotedText = regexp.MustCompile(`"([^"\n]{1,200})"|(?:^|[\s(:,])'([^'\n]{1,200})'(?:[\s).,;]|$)`)

// listed returns the words of a list: what is quoted, or what stands between
// commas and "and".
func listed(text string) []string {
	if list := quotedTexts(text); len(list) > 0 {
		return list
	}
	var list []string
	for _, word := range listSeparator.Split(text, -1) {
		word = strings.Trim(word, " \t.:;!?`*[]()")
		if word != "" && len(strings.Fields(word)) <= 3 {
			list = append(list, word)
		}
	}
	return list
}

var listSeparator = regexp.MustCompile(`\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+`)
