// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// mostDemands is how many demands of one text are looked at.
const mostDemands = 200

var (
	// joint parts two demands of one sentence; its group begins the second.
	joint = regexp.MustCompile(`(?i)(?:[,;]\s*|\s+)(?:and|but|then|;)\s+((?:also|then|please|always|never|finally|must|should|do not|don't|use|include|avoid|make sure|ensure|keep|start|begin|end|finish|add|put|wrap|write|respond|reply|answer|mention|be|give|provide|highlight|repeat|refrain|sign|format|limit|stay|speak|cite|ask|refuse|translate|output|return)\b)`)

	// formal is how a demand on the form of an answer is put, or what is asked
	// for by one.
	formal = regexp.MustCompile(`(?i)\b(?:must|should|shall|needs? to|has to|have to|required|never|always|only|avoid|refrain|without|do not|don't|not allowed|ensure|make sure|at least|at most|no (?:more|less|fewer) than|exactly|fewer|less than|more than|limit(?:ed)?|maximum|minimum|up to|between \d|` +
		`metric|imperial|si units|numerals|digits|spelled out|written out|abbreviations?|acronyms?|contractions?|passive voice|active voice|(?:past|present|future) tense|(?:first|second|third)[ -]person|reading level|(?:for|to|at) (?:a |an )?(?:beginners?|child(?:ren)?|kids?|experts?|lay(?:man|men|people)|general audience|five[- ]year[- ]olds?)|24[- ]hour|iso 8601|(?:british|american|australian) (?:english|spelling)|alphabetical(?:ly)?|chronological(?:ly)?|` +
		`format(?:ted)?|style|tone|voice|markdown|json|yaml|xml|csv|html|latex|bold|italics?|heading|headers?|sections?|bullets?|bulleted|numbered|words?|sentences?|paragraphs?|characters?|letters|lines?|syllables?|stanzas?|(?:upper|lower)[ -]?case|capitals|capital letters?|capitali[sz]ed?|punctuation|commas?|emojis?|hashtags?|rhym(?:e|es|ing)|alliterat\w+|palindromes?|` +
		`(?:start|begin|end|finish|conclude|open|close)(?:s|ing)? (?:with|by|the|your|each|every|it)|includes?|contains?|mentions?|keywords?|repeat|respond|reply|answer in|placeholders?|quotation|brackets?|parenthes[ei]s|in (?:english|french|german|spanish|italian|portuguese|dutch|russian|chinese|japanese|korean|arabic|hindi))\b`)

	// manner is what no program can check, whatever else of the demand it can.
	manner = regexp.MustCompile(`(?i)\b(?:formal(?:ly)?|informal(?:ly)?|polite(?:ly)?|friendly|kind(?:ly)?|professional(?:ly)?|casual(?:ly)?|humorous|funny|sarcastic(?:ally)?|concise(?:ly)?|brief(?:ly)?|clear(?:ly)?|simple|detailed|creative(?:ly)?|persuasive|empath\w+|respectful(?:ly)?|neutral|objective|tone|style|persona|voice of|in the manner|as if you|like a|shakespear\w+|cite|sources?|accurate(?:ly)?|factual(?:ly)?|honest(?:ly)?|jargon|plain language|step by step|rhym(?:e|es|ing)|alliterat\w+|metaphors?)\b`)

	// imperative is how a demand begins that is no task: a task says what to
	// write about, and no form can show whether that was done.
	imperative = regexp.MustCompile(`(?i)^\W*(?:(?:please|also|then|finally|and|but|first|next|in addition|additionally|furthermore),?\s+)*(?:be|use|avoid|include|add|keep|stay|ensure|make sure|do not|don't|never|always|only|refuse|decline|mention|cite|ask|stick|follow|speak|act|remain|respond|reply|limit|format|wrap|start|begin|end|finish|put|highlight|repeat|refrain|sign|omit|exclude|replace|leave|output|return|treat|assume|pretend|refer|try)\b`)

	listMark = regexp.MustCompile(`^\s*(?:[-*•]|\d{1,2}[.)]|[a-z][.)])\s+`)
)

// Demands returns the parts of instructions that ask for something about the form
// or the manner of an answer. What only says who is asked, or what to write
// about, is left out: the first asks nothing, and the second no form can show.
func Demands(instructions string) []string {
	var found []string
	for _, sentence := range lexical.FirstSentences(inEnglish(plainQuotes(instructions)), mostDemands) {
		sentence = listMark.ReplaceAllString(sentence, "")
		for rest := sentence; rest != ""; {
			clause := rest
			if at := joint.FindStringSubmatchIndex(rest); at != nil && at[0] > 0 {
				clause, rest = rest[:at[0]], rest[at[2]:]
			} else {
				rest = ""
			}
			if formal.MatchString(clause) || imperative.MatchString(clause) {
				found = append(found, strings.TrimSpace(clause))
			}
		}
	}
	return found
}

// qualifier is what a demand may ask besides, and the kinds of constraints that check it.
type qualifier struct {
	shape *regexp.Regexp
	kinds []string
}

var qualifiers = []qualifier{
	{shape: regexp.MustCompile(`(?i)\b(?:each|every)\b[^.;]{0,40}\b(?:start|begin|end|contain|includes?|having|follow|rhym)`)},
	{shape: regexp.MustCompile(`(?i)\b(?:alphabetical|chronological|reverse|ascending|descending|numerical|random|logical)(?:ly)? (?:order|sort)|\balphabetically\b|\b(?:sorted|ordered|ranked|grouped) (?:by|in|from)\b`)},
	{shape: regexp.MustCompile(`(?i)\b(?:columns?|rows?|attributes|elements)\b|\bschema\b`)},
	{regexp.MustCompile(`(?i)\b(?:fields?|keys|key named|properties|members)\b`), []string{"JSON keys"}},
	{shape: regexp.MustCompile(`(?i)\b(?:footnotes?|italics?|adjectives|adverbs|verbs|nouns)\b`)},
	{shape: regexp.MustCompile(`(?i)\b(?:past|present|future) tense\b|\b(?:first|second|third)[ -]person\b|\b(?:active|passive) voice\b`)},
	{regexp.MustCompile(`(?i)\b(?:beginning|starting|begins?|starts?|opens?|opening) with\b`), []string{"the first phrase", "the first word of a paragraph", "double quotation marks", "the request repeated first", "a title in << >>", "a question at the beginning", "yes or no"}},
	{regexp.MustCompile(`(?i)\b(?:ending|ends?|finish(?:ing)?|conclud(?:e|ing)|clos(?:e|ing)) with\b`), []string{"the last phrase", "a postscript", "double quotation marks", "a question at the end"}},
	{regexp.MustCompile(`(?i)\b(?:in|into|only|uppercase|lowercase) (?:english|french|german|spanish|italian|portuguese|dutch|polish|turkish|russian|chinese|japanese|korean|arabic|hindi)\b`), []string{"the script of the language", "the language"}},
	{shape: regexp.MustCompile(`(?i)\b(?:metric|imperial|si) units?\b|\bunits of\b|\bnumerals\b|\b(?:spelled|written) out\b|\b(?:abbreviations?|acronyms?|contractions?)\b|\b24[- ]hour\b|\biso 8601\b|\b(?:british|american|australian) (?:english|spelling)\b`)},
	{shape: regexp.MustCompile(`(?i)\breading level\b|\b(?:as|like|aimed|suitable|understandable|for|to) (?:to |if to |for |by )?(?:a |an |small |young )*(?:beginners?|child(?:ren)?|kids?|experts?|lay(?:man|men|people)|general audience|five[- ]year[- ]olds?)\b`)},
	{regexp.MustCompile(`(?i)\b\d+ characters\b|\bcharacters long\b`), []string{"number of characters"}},
	{shape: regexp.MustCompile(`(?i)\bsyllables\b|\blines? of\b`)},
	{shape: regexp.MustCompile(`(?i)[;,] the (?:first|second|third|last|other) (?:in|with|about|must|should|one)\b`)},
}

// open reports whether a demand asks for something that none of the constraints
// recognised in it checks.
func open(demand string, recognised []Constraint) bool {
	for _, q := range qualifiers {
		if q.shape.MatchString(demand) && !slices.ContainsFunc(recognised, func(c Constraint) bool { return slices.Contains(q.kinds, c.About) }) {
			return true
		}
	}
	lower := strings.ToLower(demand)
	for i, t := range things {
		if t.only == "" && hasAny(lower, t.words) && thingReaders()[i].name.MatchString(demand) && !slices.ContainsFunc(recognised, func(c Constraint) bool { return strings.HasPrefix(c.About, t.about) }) {
			return true
		}
	}
	return manner.MatchString(demand)
}

// Unchecked counts the demands that nothing of what is recognised in them
// covers, or not all of it. A demand may begin in the one before it.
func Unchecked(all []string) int {
	n, before := 0, ""
	for _, demand := range all {
		recognised := Recognise(demand)
		covered := len(recognised) > 0
		if !covered && before != "" {
			recognised = Recognise(before + " " + demand)
			covered = len(recognised) > len(Recognise(before))
		}
		if !covered || open(demand, recognised) {
			n++
		}
		before = demand
	}
	return n
}
