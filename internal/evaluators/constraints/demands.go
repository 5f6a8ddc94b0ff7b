// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
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
	for _, sentence := range lexical.FirstSentences(instructions, mostDemands) {
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

// Unchecked counts the demands that nothing of what is recognised in them
// covers, or not all of it. A demand may begin in the one before it.
func Unchecked(all []string) int {
	n, before := 0, ""
	for _, demand := range all {
		covered := len(Recognise(demand)) > 0
		if !covered && before != "" {
			covered = len(Recognise(before+" "+demand)) > len(Recognise(before))
		}
		if !covered || manner.MatchString(demand) {
			n++
		}
		before = demand
	}
	return n
}
