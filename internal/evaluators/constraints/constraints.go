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
	"slices"
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

// constraintReader reads constraints of one kind from instructions that have one of its
// words, which are looked for first: most instructions have few of them.
type constraintReader struct {
	words string // in lower case, with bars between them; "" reads all
	read  func(instructions string) []Constraint
}

var constraintReaders = []constraintReader{
	{"word", readWordCount},
	{"sentence", readSentenceCount},
	{"paragraph|***", readParagraphCount},
	{"bullet", readBulletCount},
	{"placeholder", readPlaceholderCount},
	{"highlight|itali", readHighlightCount},
	{" x|section", readSectionCount},
	{"comma", readNoCommas},
	{`word|phrase|"`, readKeywords},
	{`word|phrase|term|name|"`, readForbidden},
	{"word", readKeywordFrequency},
	{"letter", readLetterFrequency},
	{"lower|upper|capital|caps", readCase},
	{"upper|capital|caps", readCapitalWords},
	{"<<|double angular", readTitle},
	{"post|p.", readPostscript},
	{"double", readQuotation},
	{`"`, readOpening},
	{"end|finish|conclude|last|close|final|closing|sign off", readEnding},
	{"paragraph", readFirstWord},
	{"json", readJSONOnly},
	{"asterisk|******", readTwoResponses},
	{"one of|from|choose|select", readChoice},
	{"repeat", readRepeat},
	{"", readScript},
	{"", readLanguage},
	{"char|letters", readCharacterCount},
	{"line", readLineCount},
	{"word", readOneWord},
	{"yes|true|no", readYesOrNo},
	{"question", readQuestion},
	{"list|bullet|numbered|ordered", readItems},
	{"number", readNumberedLines},
	{"", readThings},
}

// hasAny reports whether a text in lower case has one of some words with bars between them.
func hasAny(lower, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// Recognise returns the constraints in instructions. What is in German is read by the same
// readers, with the words of its demands in English.
func Recognise(instructions string) []Constraint {
	instructions = inEnglish(plainQuotes(instructions))
	lower := strings.ToLower(instructions)
	var found []Constraint
	for _, r := range constraintReaders {
		if hasAny(lower, r.words) {
			found = append(found, r.read(instructions)...)
		}
	}
	return found
}

// plainQuotes returns a text with straight double quotation marks around what is quoted.
func plainQuotes(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "’", "'", "‘", "'").Replace(text)
	return singleQuoted.ReplaceAllString(text, `$1"$2"$3`)
}

var singleQuoted = regexp.MustCompile(`(^|[\s(:,])['` + "`" + `]([^'"` + "`" + `\n]{1,200})['` + "`" + `]([\s).,;:!?]|$)`)

// amount is how many of something there may be.
type amount struct{ least, most int }

func (a amount) has(n int) bool { return n >= a.least && n <= a.most }

const (
	article    = `an?|`
	numberOnly = `\d{1,3}(?:,\d{3})+|\d{1,6}|(?:an?\s+)?single|(?:an?|one)\s+hundred|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|hundred`
	numberWord = article + numberOnly
	relation   = `at least|no fewer than|no less than|not less than|a minimum of|minimum|min\.?|more than|over|above|longer than|exceed(?:ing)?|at most|no more than|not more than|no longer than|not longer than|up to|a maximum of|maximum|max\.?|` +
		`limit(?:ed)?\s+(?:\w+\s+){0,4}?to|less than|fewer than|shorter than|under|below|within|exactly|precisely|only|just|around|about|approximately|roughly|between`
	// quantity has the groups relation, number, upper number and what follows.
	quantity = `(?:\b(` + relation + `)\s+(?:the\s+)?)?\b(` + numberWord + `)\b(?:\s*(?:-|–|to|and|or)\s*(` + numberOnly + `))?\s*(or more|or fewer|or less|\+|plus)?`
	// bound is what may follow the name of what is counted.
	bound = `\b(?:\s*,?\s*(or more|or fewer|or less|max(?:imum)?|at (?:the )?(?:very )?most|at least|min(?:imum)?|tops)\b)?`
)

var numberWords = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "eighteen": 18, "twenty": 20,
	"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "once": 1, "twice": 2, "thrice": 3,
}

func number(text string) int {
	words := strings.Fields(strings.ToLower(text))
	if len(words) > 0 && (words[len(words)-1] == "single" || len(words) == 2) {
		words = words[len(words)-1:]
	}
	if len(words) == 1 && words[0] == "single" {
		return 1
	}
	if len(words) == 1 && numberWords[words[0]] > 0 {
		return numberWords[words[0]]
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n
}

func atLeast(n int) amount { return amount{n, math.MaxInt} }

func atMost(n int) amount { return amount{0, n} }

// denied is how a text ends before a relation that it turns around, as in "must not exceed".
var denied = regexp.MustCompile(`(?i)(?:\b(?:no|not|never|without|nothing|cannot|nor)\b|n't)\s+(?:\w+\s+){0,3}$`)

// newAmount reads the groups of quantity and of bound, and what stands before them. Without a
// relation the number is exact or, for what is rarely counted exactly, about right.
func newAmount(before string, groups []string, roughly bool) amount {
	n := number(groups[1])
	if groups[2] != "" {
		return amount{n, max(n, number(groups[2]))}
	}
	for _, after := range groups[3:] {
		switch after = strings.ToLower(after); {
		case after == "":
		case after == "or more", after == "+", after == "plus", after == "at least", strings.HasPrefix(after, "min"):
			return atLeast(n)
		default:
			return atMost(n)
		}
	}
	switch relation := strings.TrimSuffix(strings.ToLower(groups[0]), "."); relation {
	case "at least", "no fewer than", "no less than", "not less than", "a minimum of", "minimum", "min":
		return atLeast(n)
	case "more than", "over", "above", "longer than", "exceed", "exceeding":
		if denied.MatchString(before) {
			return atMost(n)
		}
		return atLeast(n + 1)
	case "at most", "no more than", "not more than", "no longer than", "not longer than", "up to", "a maximum of", "maximum", "max", "within":
		return atMost(n)
	case "less than", "fewer than", "shorter than", "under", "below":
		return atMost(n - 1)
	case "around", "about", "approximately", "roughly":
		roughly = true
	case "exactly", "precisely", "only", "just":
		roughly = false
	default:
		if strings.HasPrefix(relation, "limit") {
			return atMost(n)
		}
	}
	if roughly {
		return amount{n - n/10, n + n/10}
	}
	return amount{n, n}
}

var (
	// ofEach is what of an answer a number holds for, if not for all of it.
	ofEach = regexp.MustCompile(`(?i)\b(?:each|every|per|apiece)\b(?:\s+of\s+(?:the|your|these))?(?:\s+(?:bullet\s+|single\s+)?(\w+))?`)
	whole  = regexp.MustCompile(`(?i)^(?:answer|response|reply|message|output|time|text|of)s?$`)
)

// partsOf returns the parts of a response of some name, nil for a name that is not known.
func partsOf(name string) func(response string) []string {
	marked := func(line string) bool { return listLine.MatchString(line) }
	lines := func(response string, is func(string) bool) (kept []string) {
		for line := range strings.Lines(response) {
			if strings.TrimSpace(line) != "" && is(line) {
				kept = append(kept, listLine.ReplaceAllString(line, ""))
			}
		}
		return kept
	}
	switch strings.TrimSuffix(strings.ToLower(name), "s") {
	case "bullet", "point", "item", "step":
		return func(response string) []string { return lines(response, marked) }
	case "line":
		return func(response string) []string { return lines(response, func(string) bool { return true }) }
	case "sentence":
		return sentencesOf
	case "paragraph":
		return func(response string) []string { return paragraphs(response, false) }
	default:
		return nil
	}
}

var listLine = regexp.MustCompile(listedLine + `|` + numberedLine)

// counted makes a Constraint of the first match of an expression that begins with a
// quantity, and of the count that a response has, or each part of it that is named.
func counted(about string, expression *regexp.Regexp, instructions string, roughly bool, count func(response string) int) []Constraint {
	groups, at := expression.FindStringSubmatch(instructions), expression.FindStringIndex(instructions)
	if groups == nil {
		return nil
	}
	want := newAmount(instructions[:at[0]], groups[1:], roughly)
	begin, end := strings.LastIndexAny(instructions[:at[0]], ".!?;\n")+1, len(instructions)
	if i := strings.IndexAny(instructions[at[1]:], ".!?;\n"); i >= 0 {
		end = at[1] + i
	}
	sentence := instructions[begin:at[0]] + "#" + instructions[at[1]:end]
	if of := ofEach.FindStringSubmatch(sentence); of != nil && !whole.MatchString(of[1]) {
		parts := partsOf(of[1])
		if parts == nil {
			return nil
		}
		return []Constraint{{About: about, Holds: func(response string) bool {
			all := parts(response)
			return len(all) > 0 && !slices.ContainsFunc(all, func(part string) bool { return !want.has(count(part)) })
		}}}
	}
	return []Constraint{{About: about, Holds: func(response string) bool { return want.has(count(response)) }}}
}

// onlyArticle reports whether the groups of quantity have an article alone, as in "write a
// sentence about it".
func onlyArticle(groups []string) bool {
	return groups[1] == "" && (strings.EqualFold(groups[2], "a") || strings.EqualFold(groups[2], "an"))
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
