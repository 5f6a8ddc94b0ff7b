// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

var (
	characterCount = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:total\s+)?(?:characters?|chars?|letters)(?:\s+long)?` + bound)
	lineCount      = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:short\s+)?lines?` + bound)
	oneWordOnly    = regexp.MustCompile(`(?i)\b(?:in|with|using|just|only|exactly|answer|respond|reply|say|give|name)\s+(?:(?:me|just|only|exactly)\s+)*(?:one|an?\s+single|a\s+single|single|1)[\s-]word\b|\b(?:one|single|1)[\s-]word\s+(?:only|answers?|responses?|repl(?:y|ies)|max(?:imum)?)\b`)
	ofWords        = regexp.MustCompile(`(?i)^\s*(?:per|each|that|which|for each|in each)\b`)

	answering = regexp.MustCompile(`(?i)\b(?:answer\w*|respond\w*|reply|say|return|output|write|only|just|simply|start|begin)\b`)
	yesOrNo   = regexp.MustCompile(`(?i)"?\b(yes|true)\b"?\s*(?:or|/|\|)\s*"?\b(no|false)\b"?|"?\b(no|false)\b"?\s*(?:or|/|\|)\s*"?\b(yes|true)\b"?`)
	nothing   = regexp.MustCompile(`(?i)\b(?:only|just|simply|nothing (?:else|more)|no (?:explanation|other|further)|without (?:explanation|any)|single|one[- ]word)\b`)
	openedBy  = regexp.MustCompile(`(?i)\b(?:start|begin|open|first|then|follow\w*|explain|and (?:give|say|why|a|the|your)|because|reason)\b`)

	questionEnd   = regexp.MustCompile(`(?i)\b(?:end|finish|close|conclude)\b[^.!?\n"]{0,40}?\b(?:with|on|by asking|in)\s+(?:(?:an?|one|single|short|open|follow-up|the)\s+)*question(?:\s+mark)?\b|\b(?:last|final|closing)\s+(?:sentence|line)\b[^.!?\n"]{0,20}\b(?:must|should|shall|has to|is to)\s+be\s+(?:an?|one)\s+(?:\w+\s+)?question\b`)
	questionBegin = regexp.MustCompile(`(?i)\b(?:start|begin|open)\b[^.!?\n"]{0,30}?\bwith\s+(?:(?:an?|one|single|short)\s+)*question\b`)

	itemCount     = regexp.MustCompile(`(?i)\b(` + numberOnly + `)\s+(?:[\pL-]+\s+){1,3}?(?:as|in|using|with)\s+(?:(?:an?|the form of|form of)\s+)*(?:\w+\s+)?(?:bullet(?:ed)?|numbered|ordered|unordered|bullets|list)\b`)
	numberedLines = regexp.MustCompile(`(?i)(?:^|[.!?,;:\n]\s*|\b(?:please|and|always|must|should)\s+)number\s+(?:the|each|every|your|all)\s+(?:of\s+the\s+)?(lines?|steps?|items?|points?|sentences?|paragraphs?|answers?)\b`)
)

// leastCharacters is the least number of characters of a text: of fewer, a story tells.
const leastCharacters = 10

func readCharacterCount(instructions string) []Constraint {
	if groups := characterCount.FindStringSubmatch(instructions); groups == nil || number(groups[2]) < leastCharacters {
		return nil
	}
	return counted("number of characters", characterCount, instructions, false, func(response string) int {
		return utf8.RuneCountInString(strings.TrimSpace(response))
	})
}

func readLineCount(instructions string) []Constraint {
	if groups := lineCount.FindStringSubmatch(instructions); groups == nil || onlyArticle(groups) {
		return nil
	}
	return counted("number of lines", lineCount, instructions, false, func(response string) int { return len(partsOf("line")(response)) })
}

func readOneWord(instructions string) []Constraint {
	at := oneWordOnly.FindStringIndex(instructions)
	if at == nil || ofWords.MatchString(instructions[at[1]:]) {
		return nil
	}
	return []Constraint{{About: "one word", Holds: func(response string) bool { return pytext.CountWords(response) == 1 }}}
}

// readYesOrNo reads a demand for one of two words. Where more is not forbidden, a program
// cannot tell about an answer that goes on after it.
func readYesOrNo(instructions string) []Constraint {
	for _, sentence := range clauses(instructions) {
		at := yesOrNo.FindStringSubmatchIndex(sentence)
		if at == nil || !answering.MatchString(sentence[:at[0]]) && !nothing.MatchString(sentence) || conditional(sentence) || denied.MatchString(sentence[:at[0]]) {
			continue
		}
		either := []string{"yes", "no", "ja", "nein", "oui", "non", "sí", "si"}
		if strings.Contains(strings.ToLower(sentence[at[0]:at[1]]), "true") {
			either = []string{"true", "false", "wahr", "falsch"}
		}
		first := func(response string) (word, rest string) {
			word, rest, _ = strings.Cut(strings.TrimSpace(response)+" ", " ")
			return strings.ToLower(strings.Trim(word, ` .,;:!"'*_`)), strings.TrimSpace(rest)
		}
		begins := openedBy.MatchString(sentence)
		made := Constraint{About: "yes or no", Holds: func(response string) bool {
			word, rest := first(response)
			return slices.Contains(either, word) && (begins || rest == "")
		}}
		if !begins && !nothing.MatchString(instructions) {
			made.Tells = func(response string) bool {
				word, rest := first(response)
				return rest == "" || !slices.Contains(either, word)
			}
		}
		return []Constraint{made}
	}
	return nil
}

func readQuestion(instructions string) []Constraint {
	var found []Constraint
	asks := func(r rune) bool { return strings.ContainsRune("?？؟", r) }
	if at := questionEnd.FindStringIndex(instructions); at != nil && !denied.MatchString(instructions[:at[0]]) && !quotedNext.MatchString(instructions[at[1]:]) {
		found = append(found, Constraint{About: "a question at the end", Holds: func(response string) bool {
			response = strings.TrimRightFunc(response, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".!?？؟…", r)
			})
			last, _ := utf8.DecodeLastRuneInString(response)
			return asks(last)
		}})
	}
	if at := questionBegin.FindStringIndex(instructions); at != nil && !denied.MatchString(instructions[:at[0]]) && !quotedNext.MatchString(instructions[at[1]:]) {
		found = append(found, Constraint{About: "a question at the beginning", Holds: func(response string) bool {
			all := sentencesOf(response)
			return len(all) > 0 && strings.IndexFunc(all[0], asks) >= 0
		}})
	}
	return found
}

var quotedNext = regexp.MustCompile(`^\s*[:"]`)

// readItems reads how many items a list must have: "three tips as a bulleted list".
func readItems(instructions string) []Constraint {
	groups := itemCount.FindStringSubmatch(instructions)
	if groups == nil {
		return nil
	}
	n := number(groups[1])
	return []Constraint{{About: "number of items", Holds: func(response string) bool {
		return len(listLine.FindAllStringIndex(response, -1)) == n
	}}}
}

func readNumberedLines(instructions string) []Constraint {
	groups := numberedLines.FindStringSubmatch(instructions)
	if groups == nil {
		return nil
	}
	every := strings.HasPrefix(strings.ToLower(groups[1]), "line")
	return []Constraint{{About: "numbers of lines", Holds: func(response string) bool {
		lines, numbered := len(partsOf("line")(response)), len(numberMark.FindAllStringIndex(response, -1))
		return numbered > 0 && (!every || numbered == lines)
	}}}
}

var numberMark = regexp.MustCompile(numberedLine)
