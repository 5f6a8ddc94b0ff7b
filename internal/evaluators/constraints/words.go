// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

const times = `(?:for\s+)?(?:(` + relation + `)\s+)?\b(` + numberOnly + `|once|twice|thrice)\b()\s*(or more|or fewer|or less|\+)?(?:\s+times?)?`

var (
	noCommas = regexp.MustCompile(`(?i)\b(?:no|without|avoid\w*|refrain\w*|not|don't|never|nothing|free of|exclude)\b[^.!?\n]{0,60}\bcommas?\b|\bcommas?\b[^.!?\n]{0,30}\b(?:not allowed|forbidden|are not|prohibited)\b`)

	keywordList = regexp.MustCompile(`(?i)\b(?:include\w*|including|contain\w*|us(?:e|ing)|mention\w*|add|have)\s+(?:all\s+)?(?:of\s+)?(?:the\s+)?(?:following\s+)?(?:key\s?words?|words|phrases?)\s*:?\s+([^.!?\n]{2,200})`)
	mention     = regexp.MustCompile(`(?i)\b(?:mention|include|use)\s+(?:the\s+(?:word|name|phrase|term)s?\s+)?("[^"\n]{1,80}"(?:\s*(?:,|and|,\s*and)\s*"[^"\n]{1,80}")*)`)

	forbiddenList = regexp.MustCompile(`(?i)\b(?:do not|don't|not|avoid\w*|without|never|exclude)\s+(?:\w+\s+){0,3}?(?:the\s+)?(?:following\s+)?(?:key\s?words?|words?|phrases?|terms?|names?)\s*:?\s+([^.!?\n]{2,200})`)
	forbiddenWord = regexp.MustCompile(`(?i)\bwords?\s+("[^"\n]{1,60}"(?:\s*(?:,|or|and)\s*"[^"\n]{1,60}")*)\s+(?:should|must|can|may|is|are|do|does)\s?(?:not|n't)\s+(?:appear|be|allowed|occur|used)`)

	wordTimes   = regexp.MustCompile(`(?i)\b(?:the\s+)?(?:key)?word\s+["']?([\pL\d](?:[\pL\d'-]{0,38}[\pL\d])?)["']?(?:\s+(?:should|must|has to|needs to))?(?:\s+(?:appear|be used|occur|be included|used|appears))?\s+` + times)
	letterTimes = regexp.MustCompile(`(?i)\bletter\s+["']?(\pL|[!#?&@])["']?(?:\s+(?:should|must|has to|needs to|can))?(?:\s+(?:appear|be used|occur|appears))?\s+` + times)

	// unsaid and said are words to avoid and to use that are quoted, by what is done with them.
	unsaid = regexp.MustCompile(`(?i)(?:\b(?:do not|must not|may not|should not|never|avoid|without|no|not to)|n't)\s+(?:(?:ever|use|using|say|saying|write|writing|mention|mentioning|include|including|the|words?|phrases?|terms?|names?|expressions?|anywhere|of|to)\s+)*("[^"\n]{1,60}"(?:\s*(?:,|or|and|nor|,\s*or)\s*"[^"\n]{1,60}")*)`)
	said   = regexp.MustCompile(`(?i)\b(?:words?|phrases?|terms?|names?|expressions?)\s+("[^"\n]{1,60}"(?:\s*(?:,|and|,\s*and)\s*"[^"\n]{1,60}")*)\s+(?:must|should|has to|have to|needs? to|shall)\s+(?:be\s+(?:used|mentioned|included|present|in)|appear|occur|stand)\b`)

	negated = regexp.MustCompile(`(?i)(?:\b(?:not|without|avoid\w*|never|exclude)\b|n't)[^.!?\n]{0,40}$`)
	// forgotten is what must not be left out.
	forgotten = regexp.MustCompile(`(?i)(?:\bnot|n't)\s+(?:forget|fail|omit)\b`)
)

func readNoCommas(instructions string) []Constraint {
	if !noCommas.MatchString(instructions) {
		return nil
	}
	return []Constraint{{About: "no commas", Holds: func(response string) bool { return !strings.ContainsAny(response, ",，、") }}}
}

// hasWord reports whether a text has a word or phrase, in any case, and not as
// a part of another word.
func hasWord(text, word string) bool { return countWord(text, word) > 0 }

func countWord(text, word string) int {
	text, word = strings.ToLower(text), strings.ToLower(word)
	count := 0
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !pytext.IsWordRune(before)) && (end == len(text) || !pytext.IsWordRune(after)) {
			count++
		}
		at = end
	}
	return count
}

func readKeywords(instructions string) []Constraint {
	var words []string
	for _, expression := range []*regexp.Regexp{keywordList, mention, said} {
		for _, at := range expression.FindAllStringSubmatchIndex(instructions, -1) {
			before := forgotten.ReplaceAllString(instructions[:at[0]], "")
			if negated.MatchString(before) || strings.Contains(instructions[at[0]:at[1]], " times") {
				continue
			}
			text := trimList(instructions[at[2]:at[3]])
			if expression != keywordList {
				words = append(words, quotedTexts(text)...)
			} else {
				words = append(words, listed(text)...)
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []Constraint{{About: "words to use", Holds: func(response string) bool {
		for _, word := range words {
			if !hasWord(response, word) {
				return false
			}
		}
		return true
	}}}
}

// trimList cuts what follows a list in its sentence.
func trimList(text string) string {
	for _, end := range []string{" in your", " in the", " in any", " at least", " and should", " and must", " and do ", " anywhere", " throughout", " but ", " - "} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

func readForbidden(instructions string) []Constraint {
	var words []string
	instructions = forgotten.ReplaceAllString(instructions, "")
	for _, expression := range []*regexp.Regexp{forbiddenList, forbiddenWord, unsaid} {
		for _, found := range expression.FindAllStringSubmatch(instructions, -1) {
			words = append(words, listed(trimList(found[1]))...)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []Constraint{{About: "words to avoid", Holds: func(response string) bool {
		for _, word := range words {
			if hasWord(response, word) {
				return false
			}
		}
		return true
	}}}
}

func readKeywordFrequency(instructions string) []Constraint {
	var found []Constraint
	for _, groups := range wordTimes.FindAllStringSubmatch(instructions, -1) {
		word, want := groups[1], newAmount("", groups[2:], false)
		found = append(found, Constraint{About: "frequency of a word", Holds: func(response string) bool { return want.has(countWord(response, word)) }})
	}
	return found
}

func readLetterFrequency(instructions string) []Constraint {
	var found []Constraint
	for _, groups := range letterTimes.FindAllStringSubmatch(instructions, -1) {
		letter, want := strings.ToLower(groups[1]), newAmount("", groups[2:], false)
		found = append(found, Constraint{About: "frequency of a letter", Holds: func(response string) bool {
			return want.has(strings.Count(strings.ToLower(response), letter))
		}})
	}
	return found
}

var (
	allLower = regexp.MustCompile(`(?i)\b(?:all|only|entire\w*|completely|in|use|using)\b[^.!?\n]{0,40}\blower\s?-?case\b|\bno capital(?:ized)? (?:letters|words)|\bwithout (?:using |any )*capital letters`)
	allUpper = regexp.MustCompile(`(?i)\b(?:in|all|only|entire\w*|use|using)\s+(?:\w+\s+){0,4}?(?:all\s+)?(?:capital letters|capitals|caps|upper\s?-?case)\b`)
	someCaps = regexp.MustCompile(`(?i)\bwords?\s+(?:\w+\s+){0,2}?(?:with|in)\s+all\s+(?:capital|caps|upper)|\ball-?\s?cap(?:s|ital\w*)\s+words?|\bcapital\w*\s+words?|\bwords?\b[^.!?\n]{0,40}\b(?:capital|caps|upper)`)
	noLower  = regexp.MustCompile(`(?i)(?:\b(?:no|not|without|never)\b|n't)[^.!?\n]{0,50}\blower\s?-?case`)
	noUpper  = regexp.MustCompile(`(?i)(?:\b(?:no|not (?:contain|use|include) any|without (?:using )?any)|n't (?:contain|use|include) any)\s+(?:capital|upper)`)

	capitalTimes = regexp.MustCompile(`(?i)(?:\bwords?\s+(?:\w+\s+){0,2}?(?:with|in)\s+all\s+(?:capital(?:\s+letters)?|caps|upper\s?-?case)|\ball-?\s?caps?\s+words?)[^.!?\n]{0,40}?\s` + times)
	capitalCount = regexp.MustCompile(`(?i)` + quantity + `\s+words?\s+(?:\w+\s+){0,6}?(?:with|in)\s+(?:all\s+)?(?:capital|caps|upper)`)
)

func readCase(instructions string) []Constraint {
	switch {
	case (allLower.MatchString(instructions) || noUpper.MatchString(instructions)) && !noLower.MatchString(instructions):
		return []Constraint{{About: "lower case", Holds: func(response string) bool { return strings.IndexFunc(response, unicode.IsUpper) < 0 }}}
	case noLower.MatchString(instructions) || allUpper.MatchString(instructions) && !someCaps.MatchString(instructions):
		return []Constraint{{About: "capital letters", Holds: func(response string) bool { return strings.IndexFunc(response, unicode.IsLower) < 0 }}}
	default:
		return nil
	}
}

func readCapitalWords(instructions string) []Constraint {
	groups := capitalTimes.FindStringSubmatch(instructions)
	if groups == nil {
		groups = capitalCount.FindStringSubmatch(instructions)
	}
	if groups == nil {
		return nil
	}
	want := newAmount("", groups[1:], false)
	return []Constraint{{About: "words in capital letters", Holds: func(response string) bool {
		count := 0
		for _, word := range pytext.SplitWords(response) {
			if strings.IndexFunc(word, unicode.IsUpper) >= 0 && strings.IndexFunc(word, unicode.IsLower) < 0 {
				count++
			}
		}
		return want.has(count)
	}}}
}
