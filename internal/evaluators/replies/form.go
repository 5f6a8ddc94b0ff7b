// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is a shape of answers that some questions ask for.
type form struct {
	// asked finds the words of a question that ask for it.
	asked *regexp.Regexp
	// given reports whether an answer has it.
	given func(answer string) bool
	// agreed and strange are what it adds to the log odds that an answer is to the
	// question: where it was asked for, and, taken away, where it was not.
	agreed, strange float64
}

// forms were weighed on questions and answers that are not among those measured.
var forms = []form{
	{
		asked:  regexp.MustCompile(`(?i)\b(?:list|name|give (?:me )?(?:\w+ )?(?:examples|ways|ideas|reasons|tips)|\d+ (?:\w+ )?(?:ways|tips|things|examples|ideas|reasons|benefits)|what are)\b`),
		given:  func(answer string) bool { return strings.Contains(answer, "\n") },
		agreed: 0.7, strange: 0.2,
	},
	{
		asked:  regexp.MustCompile(`(?i)\b(?:code|function|program|python|java|javascript|sql|html|css|script|query|algorithm|class|regex)\b`),
		given:  isProgram,
		agreed: 0.7, strange: 0.7,
	},
	{
		asked:  regexp.MustCompile(`(?i)^\W*(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have)\b`),
		given:  saysYesOrNo,
		agreed: 0.5, strange: 0.5,
	},
	{
		asked:  regexp.MustCompile(`(?i)\b(?:poem|haiku|song|lyrics|limerick|rhyme|rap)\b`),
		given:  isVerse,
		agreed: 0.8, strange: 0.8,
	},
	// Data in a form that few write unasked.
	{
		asked:  regexp.MustCompile(`(?i)\bjson\b`),
		given:  isJSON,
		agreed: 2, strange: 0.1,
	},
	{
		asked:  regexp.MustCompile(`(?i)\b(?:table|columns|markdown)\b`),
		given:  func(answer string) bool { return tableRule.MatchString(answer) },
		agreed: 2, strange: 0.1,
	},
}

// tableRule is the line between the head and the rows of a table in Markdown.
var tableRule = regexp.MustCompile(`(?m)^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|[ \t|:-]*$`)

// isJSON reports whether an answer is an object or a list of JSON, fenced or not.
func isJSON(answer string) bool {
	answer = strings.TrimSpace(answer)
	if fenced, ok := strings.CutPrefix(answer, "```"); ok {
		answer = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(fenced, "json"), "```"))
	}
	return answer != "" && (answer[0] == '{' || answer[0] == '[') && json.Valid([]byte(answer))
}

// mostAsked is how many bytes of a question are searched for a form.
const mostAsked = 2000

// fits is the factor by which the form of an answer makes it likelier that it is to the
// question.
func fits(question, answer string) float64 {
	question = question[:min(len(question), mostAsked)]
	odds := 0.0
	for _, f := range forms {
		if !f.given(answer) {
			continue
		}
		if f.asked.MatchString(question) {
			odds += f.agreed
		} else {
			odds -= f.strange
		}
	}
	return math.Exp(odds)
}

// programSigns are what programs have and prose has not.
var programSigns = []string{"```", "{\n", ";\n", "}\n", "=>", "SELECT ", "</", "()"}

func isProgram(answer string) bool {
	for _, sign := range programSigns {
		if strings.Contains(answer, sign) {
			return true
		}
	}
	return false
}

func saysYesOrNo(answer string) bool {
	start := strings.TrimLeftFunc(answer, func(r rune) bool { return !unicode.IsLetter(r) })
	word := start
	if end := strings.IndexFunc(start, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = start[:end]
	}
	return strings.EqualFold(word, "yes") || strings.EqualFold(word, "no")
}

// the bounds of a line of verse, in bytes.
const (
	shortestVerse = 6
	longestVerse  = 62
)

// isVerse reports whether two lines in a row are short and begin with a capital.
func isVerse(answer string) bool {
	verses := 0
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n")
		first, _ := utf8.DecodeRuneInString(line)
		if len(line) < shortestVerse || len(line) > longestVerse || !unicode.IsUpper(first) {
			verses = 0
			continue
		}
		if verses++; verses == 2 {
			return true
		}
	}
	return false
}
