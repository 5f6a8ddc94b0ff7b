// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

const (
	politely = `(?:(?:and|so|but|ok|okay|please|well|hi|hello|hey)\W+)*(?:(?:please )?(?:tell me|(?:do|can|could|would) you (?:know|tell me|please tell me)|I(?:['’]d| would) like to know)\W+)?`
	within   = `(?:(?:in|at|on|from|by|for|to|of|with|during|since|until|about|under|through) )?`
)

// asking are the beginnings of questions that a few words may answer, each with whether such words
// tell what it asks for.
var asking = []asked{
	{regexp.MustCompile(`(?i)^\W*` + politely + within + `how (?:many|much|old|long|far|tall|high|deep|wide|big|large|heavy|fast|often|late|early|hot|cold)\b`), tellsNumber},
	{regexp.MustCompile(`(?i)^\W*` + politely + within + `(?:when|(?:what|which) (?:year|date|day|month|time|century|decade))\b`), tellsTime},
	{regexp.MustCompile(`(?i)^\W*` + politely + within + `(?:who|whom|whose|who['’]s)\b`), hasLetters},
	{regexp.MustCompile(`(?i)^\W*` + politely + within + `(?:what|which|where)\b`), isFragment},
}

type asked struct {
	question *regexp.Regexp
	answers  func(answer string) bool
}

// quantities is how many of asking, the first, ask for a number or a time.
const quantities = 2

// asksYesOrNo is how questions begin that yes or no answers.
var asksYesOrNo = regexp.MustCompile(`(?i)^\W*` + politely + `(?:is|are|am|was|were|do|does|did|can|could|should|shall|will|would|has|have|had|may|might|must|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|don['’]t|doesn['’]t|didn['’]t|can['’]t)\b`)

// longestShort is how many bytes of a question and of an answer are looked at for a short
// answer to a question.
const longestShort = 2000

// ShortAnswer reports whether a text is a name, a number, or another few words without a
// sentence around them, and the last sentence of a question one that asks for such; or yes
// or no, in as few words, to a question that asks for that. Whether it is of the subject
// cannot be decided from it.
func ShortAnswer(question, answer string) bool {
	if len(question) > longestShort || len(answer) > longestShort || strings.ContainsAny(answer, "?？؟") {
		return false
	}
	sentences := lexical.Sentences(question)
	if len(sentences) == 0 {
		return false
	}
	asked := sentences[len(sentences)-1]
	for _, a := range asking {
		if a.question.MatchString(asked) {
			return isFragment(answer) && a.answers(answer)
		}
	}
	return asksYesOrNo.MatchString(asked) && saysYesOrNo(answer) && isBrief(answer)
}

// LacksQuantity reports whether a question asks for a number or a time that a text has not.
func LacksQuantity(question, text string) bool {
	if len(question) > longestShort {
		return false
	}
	sentences := lexical.Sentences(question)
	if len(sentences) == 0 {
		return false
	}
	for _, a := range asking[:quantities] {
		if a.question.MatchString(sentences[len(sentences)-1]) {
			return !a.answers(text)
		}
	}
	return false
}

// GivesQuantity reports whether ShortAnswer does for a question that asks for a number, a
// time, or yes or no: few words of another subject are one of these.
func GivesQuantity(question, answer string) bool {
	sentences := lexical.Sentences(question)
	if len(sentences) == 0 || !ShortAnswer(question, answer) {
		return false
	}
	last := sentences[len(sentences)-1]
	return asksYesOrNo.MatchString(last) || slices.ContainsFunc(asking[:quantities], func(a asked) bool { return a.question.MatchString(last) })
}

// isBrief reports whether a text has as few words as a fragment, and none that says
// that nothing is known.
func isBrief(text string) bool {
	n := 0
	for w := range lexical.EachWord(text) {
		if n++; n > fragment || notKnown[strings.ToLower(w.Text)] {
			return false
		}
	}
	return n > 0
}

// hasLetters reports whether a text has letters, as names have.
func hasLetters(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// amounts are words that tell how much, and times words that tell when.
var (
	amounts = lexical.SetOf("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds " +
		"thousand thousands million millions billion billions dozen dozens half none nothing few several many much all both once twice never always daily weekly monthly yearly rarely seldom often free")
	times = lexical.SetOf("january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday " +
		"today tomorrow yesterday tonight now soon never always noon midnight morning afternoon evening night spring summer autumn fall winter " +
		"weekdays weekends daily weekly monthly yearly annually week month year century easter christmas ago before after later already")
)

func tellsNumber(text string) bool { return tells(text, amounts) }

func tellsTime(text string) bool { return tells(text, times) || tells(text, amounts) }

// tells reports whether a text has a digit or one of some words.
func tells(text string, words map[string]bool) bool {
	if strings.ContainsFunc(text, unicode.IsDigit) {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words[w] {
			return true
		}
	}
	return false
}
