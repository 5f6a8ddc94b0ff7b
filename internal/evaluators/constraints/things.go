// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// thing is what an answer can contain, and what a program can count.
type thing struct {
	about string
	words string // what its names have in common, in lower case, with bars between them
	name  string // a regular expression of the words for it
	count func(response string) int
	// shape says that "as a …" and "in a …" ask for it, as for a table.
	shape bool
	// only restricts where the words mean it: to "none" where they mean more elsewhere.
	only string
}

func matches(expression string) func(string) int {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	return func(response string) int { return len(compiled().FindAllStringIndex(response, -1)) }
}

const listedLine = `(?m)^[ \t]*(?:\*[^*\n]|[-–](?:[^-–\n]|$)|[•·▪◦+])`

var things = []thing{
	{about: "emoji", words: "emoji|emoticon|smiley", name: `emojis?|emoticons?|smileys?`, count: countEmoji},
	{about: "exclamation marks", words: "exclamation", name: `exclamation (?:marks?|points?)`, count: matches(`[!！]`)},
	{about: "question marks", words: "question mark", name: `question marks?`, count: matches(`[?？؟]`)},
	{about: "questions", words: "question", name: `questions?`, count: matches(`[?？؟]`), only: "none"},
	{about: "digits", words: "digit|numeral", name: `digits?|numerals?`, count: matches(`\d`)},
	{about: "numbers", words: "numbers", name: `numbers`, count: matches(`\d`), only: "none"},
	{about: "links", words: "link|url|web address", name: `(?:hyper)?links?|urls?|web addresses`, count: matches(`https?://|\bwww\.|\]\(`)},
	{about: "hashtags", words: "hash", name: `hash\s?tags?`, count: matches(`(?:^|\s)#[\pL\d_]+`)},
	{about: "headings", words: "header|heading", name: `(?:markdown )?(?:headings?|headers)`, count: matches(`(?m)^#{1,6} |<h[1-6]>`)},
	{about: "code blocks", words: "code", name: `code (?:blocks?|fences?)|(?:fenced|markdown) code`, count: func(r string) int { return strings.Count(r, "```") / 2 }, shape: true},
	{about: "tables", words: "table", name: `(?:(?:markdown|html) )?tables?(?: in markdown| format)?`, count: matches(`(?m)^[ \t]*\|[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$|^[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|<table`), shape: true},
	{about: "bullet points", words: "bullet|unordered", name: `(?:bullet(?:ed)?|unordered)[ -]?(?:points?|lists?|items?)?|bullets`, count: matches(listedLine), shape: true},
	{about: "a numbered list", words: "numbered|ordered", name: `(?:numbered|ordered) (?:lists?|items?|steps?|points?)`, count: matches(numberedLine), shape: true},
	{about: "bold text", words: "bold", name: `bold(?:face)?(?: (?:text|type|print|font))?`, count: matches(`\*\*[^*\n]+\*\*|__[^_\n]+__|<(?:b|strong)>`), shape: true},
	{about: "Markdown", words: "markdown", name: `markdown(?: (?:formatting|syntax))?`, count: matches("(?m)^#{1,6} |^[ \t]*(?:[*+-]|\\d+[.)])[ \t]|\\*\\*[^*\n]+\\*\\*|`|^\\||\\]\\("), only: "none"},
	{about: "semicolons", words: "colon", name: `semi-?colons?`, count: matches(`[;；]`)},
	{about: "dashes", words: "dash", name: `(?:(?:em|en)[ -]?)?dash(?:es)?`, count: matches(`[–—]| - `)},
	{about: "quotation marks", words: "quot", name: `quotation marks?|quote marks?`, count: matches(`["“”„«»]`), only: "none"},
	{about: "parentheses", words: "parenthes|bracket", name: `parenthes[ei]s|brackets?`, count: matches(`[(\[]`), only: "none"},
	{about: "line breaks", words: "line", name: `line breaks?|newlines?`, count: func(r string) int { return strings.Count(strings.TrimSpace(r), "\n") }, only: "none"},
}

const numberedLine = `(?m)^[ \t>*_]*\(?\d{1,3}[.):]`

// pictures are the characters of emoji that are no letters or signs of plain text.
var pictures = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x231A, Hi: 0x231B, Stride: 1}, {Lo: 0x23E9, Hi: 0x23F3, Stride: 1}, {Lo: 0x2600, Hi: 0x26FF, Stride: 1}, {Lo: 0x2705, Hi: 0x2705, Stride: 1}, {Lo: 0x270A, Hi: 0x270D, Stride: 1}, {Lo: 0x2728, Hi: 0x2728, Stride: 1}, {Lo: 0x274C, Hi: 0x274E, Stride: 2}, {Lo: 0x2753, Hi: 0x2757, Stride: 1}, {Lo: 0x2763, Hi: 0x2764, Stride: 1}, {Lo: 0x2B50, Hi: 0x2B55, Stride: 5}},
	R32: []unicode.Range32{{Lo: 0x1F1E6, Hi: 0x1F1FF, Stride: 1}, {Lo: 0x1F300, Hi: 0x1FAFF, Stride: 1}},
}

// countEmoji counts what is seen as one picture, of however many characters it is made.
func countEmoji(response string) int {
	n := 0
	for seen := graphemes.FromString(response); seen.Next(); {
		if strings.IndexFunc(seen.Value(), func(r rune) bool { return unicode.Is(pictures, r) || r == 0x20E3 }) >= 0 {
			n++
		}
	}
	return n
}

// Words that may stand between what is asked of a thing and its name.
const (
	between   = `(?:any|the|an?|some|more|other|single|even|one|extra|fancy|kinds? of|sorts? of|forms? of|format of|use|using|of|to|include|including|add|adding|put|contain|have|write|insert|give|markdown|small|short|simple|clear|your|and|or|nor|,)`
	notAsking = `\b(?:no|without|zero|avoid(?:ing)?|never|omit(?:ting)?|exclud(?:e|ing)|free (?:of|from)|leave out|skip|refrain from|` +
		`(?:do not|don't|must not|mustn't|may not|cannot|can't|should not|shouldn't)(?: ever)?(?: (?:use|include|add|put|contain|have|write|insert|give|employ|ask|end with|end in))?)`
	asking = `(?:(?:^|[,;:.!?(\n-]\s*|\b(?:and|then|please|also|but|always|must|should|shall|sure to|to)\s+)(?:use|using|include|add|insert|put|have|contain|give|provide|make|draw|create|show|ask)|` +
		`\b(?:answer|respond|reply|writ(?:e|ten)|present|format|formatted|list|return|output|summari[sz]e|organi[sz]e|structured?|explain|name|put|compare|describe|give|show)\b[^.!?\n]{0,80}?\b(?:as|in|with|using|into))`
)

// What is asked sometimes, or is asked about, cannot be checked.
var (
	sometimes = regexp.MustCompile(`(?i)\b(?:if|when|whenever|unless|where|while|optional(?:ly)?|feel free|prefer(?:ably)?|how to)\b|\b(?:may|can|could|might)\b(?:[^'\sn]|\s+[^n\s]|\s+n[^o])`)
	requests  = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:can|could|would|will) you\b`)
)

// namedThings finds the name of a thing, and what is asked of it: none, some, or a number.
type namedThings struct{ name, none, some, number *regexp.Regexp }

// thingReaders are those of things. They are compiled when they are first needed, which few
// processes do: it takes tens of milliseconds.
var thingReaders = sync.OnceValue(func() []namedThings {
	names := make([]string, len(things))
	for i, t := range things {
		names[i] = t.name
	}
	named := `(?:` + strings.Join(names, "|") + `|commas?)`
	made := make([]namedThings, len(things))
	for i, t := range things {
		made[i].name = regexp.MustCompile(`(?i)\b(?:` + t.name + `)\b`)
		made[i].none = regexp.MustCompile(`(?i)` + notAsking + `\s+(?:(?:` + between + `|` + named + `)[\s,]*)*?(?:` + t.name + `)(?:\W|$)`)
		if t.only == "none" {
			continue
		}
		// "The table" is one that is given.
		gap := strings.Replace(strings.TrimSuffix(between, ")"), "|the|", "|the form of|", 1)
		if t.shape {
			gap += `|it|them|this|that|me|us|all|everything`
		}
		gap += `)`
		made[i].some = regexp.MustCompile(`(?i)` + asking + `\s+(?:(?:` + gap + `|` + named + `)[\s,]*)*?(?:` + t.name + `)(?:\W|$)`)
		made[i].number = regexp.MustCompile(`(?i)` + quantity + `\s+(?:\w+\s+)?(?:` + t.name + `)(?:\W|$)`)
	}
	return made
})

var verbBefore = regexp.MustCompile(`(?i)\b(?:use|using|include|add|insert|put|with|contain|give|provide|exactly|only)\s+$`)

// narrowed is how a sentence goes on that forbids some of the things only, or forbids them
// somewhere.
var narrowed = regexp.MustCompile(`(?i)^\W*(?:about|on|regarding|from|of|to|that|which|like|such|except|but|longer|in (?:the )?(?:titles?|headings?|first|last|subject))\b`)

// readThings reads sentence by sentence which things an answer must have and which not.
func readThings(instructions string) []Constraint {
	var found []Constraint
	for _, sentence := range clauses(instructions) {
		lower := strings.ToLower(sentence)
		for i, t := range things {
			if !hasAny(lower, t.words) || conditional(sentence) {
				continue
			}
			want, asked := thingReaders()[i].asked(sentence)
			if !asked || t.about == "bullet points" && readBulletCount(sentence) != nil {
				continue
			}
			if !slices.ContainsFunc(found, func(c Constraint) bool { return c.About == t.about }) {
				found = append(found, Constraint{About: t.about, Holds: func(response string) bool { return want.has(t.count(response)) }})
			}
		}
	}
	return found
}

// asked returns how many of a thing a sentence asks for.
func (n namedThings) asked(sentence string) (want amount, asked bool) {
	if at := n.none.FindStringIndex(sentence); at != nil {
		return amount{}, !narrowed.MatchString(sentence[at[1]-1:])
	}
	if n.some == nil {
		return amount{}, false
	}
	if at := n.number.FindStringSubmatchIndex(sentence); at != nil {
		groups := n.number.FindStringSubmatch(sentence)
		if !onlyArticle(groups) && (groups[1] != "" || verbBefore.MatchString(sentence[:at[0]])) {
			return newAmount(sentence[:at[0]], groups[1:], false), true
		}
	}
	if at := n.some.FindStringIndex(sentence); at != nil && !negated.MatchString(sentence[:at[0]]) {
		return atLeast(1), true
	}
	return amount{}, false
}

var sentenceEnd = regexp.MustCompile(`[.!?]+["')\]]*(?:\s+|$)|\n+`)

// clauses returns the sentences of instructions as they are asked.
func clauses(instructions string) []string {
	var all []string
	begin := 0
	for _, at := range sentenceEnd.FindAllStringIndex(instructions, mostDemands) {
		if s := strings.TrimSpace(instructions[begin:at[1]]); s != "" {
			all = append(all, s)
		}
		begin = at[1]
	}
	if s := strings.TrimSpace(instructions[begin:]); s != "" {
		all = append(all, s)
	}
	return all
}

// conditional reports whether a sentence asks for something now and then only, or asks a
// question that is the task.
func conditional(sentence string) bool {
	polite := requests.FindString(sentence)
	return sometimes.MatchString(sentence[len(polite):]) || strings.HasSuffix(sentence, "?") && polite == ""
}
