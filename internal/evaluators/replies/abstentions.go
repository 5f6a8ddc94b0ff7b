// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// way is one of the ways to say that what one has does not tell, or that one may not.
type way struct {
	// words are what a sentence has one of, in lower case, that says it this way: they
	// are looked for first, since most sentences have none.
	words []string
	says  *regexp.Regexp
}

func newWay(words []string, expressions ...string) way {
	return way{words: words, says: regexp.MustCompile(`(?i)` + strings.Join(expressions, `|`))}
}

// ways are all that are known.
var ways = []way{
	// The sources do not say.
	newWay([]string{"not", "n't", "n’t", "never", "nowhere", "fail", "unknown", "unclear", "unspecified"},
		`\b(?:contexts?|documents?|documentation|texts?|passages?|articles?|sources?|excerpts?|reports?|materials?|contents?|transcripts?|files?|pages?|leaflet|manual|information|knowledge base|snippets?|paragraphs?|results?)\b[^.!?;,\n]{0,40}?`+
			`\b(?:(?:do|does|did)(?: not|n['’]t)|never|nowhere|fails? to) (?:\w+ ){0,2}?(?:contains?|mentions?|includes?|says?|states?|specif\w+|provides?|gives?|tells?|discuss\w*|covers?|address\w*|explains?|describes?|lists?|indicates?|answers?|reveals?|disclos\w+|refers?|offers?|elaborate\w*)\b`,
		`\b(?:is|are|was|were)(?:(?: not| never| nowhere)|n['’]t) (?:explicitly |clearly |directly )?(?:provided|specified|mentioned|stated|given|disclosed|possible to (?:determine|say|tell|know|answer))(?:\W*$| (?:in|by|from|within|anywhere|here|to)\b)`,
		`\b(?:cannot|can['’]t|could not|couldn['’]t) be (?:determined|inferred|answered|derived|concluded|established)\b`,
		`\b(?:is|are|remains?|it['’]s) (?:unknown|unclear|unspecified|not clear|not known) (?:to me|from|in the|based|given)\b|\bnowhere (?:stated|mentioned|given|specified)\b`,
		`\bnot possible to (?:determine|say|tell|know|answer|infer)\b`,
	),
	// There is nothing about it.
	newWay([]string{"no "},
		`\b(?:contexts?|documents?|texts?|passages?|articles?|sources?|excerpts?|reports?|materials?|transcripts?|pages?|results?)\b[^.!?;,\n]{0,30}? (?:has|have|had|contains?|gives?|provides?|includes?|offers?|makes?) no (?:\w+ ){0,2}?(?:information|mention|details?|data|answer|reference|indication|explanation)\b`,
		`\bno (?:\w+ )?(?:information|mention|details?|indication) (?:\w+ ){0,12}?(?:is|are|was|were|available|given|provided|found|in|of|about|on|as)\b`,
	),
	// I do not find it, I lack it, I may not.
	newWay([]string{"i ", "i'", "i’", "what i", "lack", "for me", "my "},
		`\bI(?: was| am|['’]m| have been) (?:unable|not able) to\b|\bI (?:could not|couldn['’]t|cannot|can['’]t|did not|didn['’]t|do not|don['’]t) (?:find|see|locate|determine|verify|confirm|tell|recommend|share|do that)\b`,
		`\bI (?:do not|don['’]t) have (?:\w+ ){0,2}?(?:information|context|access|data|details|knowledge)\b|\bI (?:\w+ )?lack (?:the )?(?:information|data|context|details|knowledge)\b|\bI have no (?:way|means|information|data|access)\b|\black the (?:data|information|context) to\b`,
		`\bI(?: must|['’]d have to| have to) (?:\w+ )?decline\b|\bI(?:['’]m| am) (?:not going to|not in a position to|not at liberty to)\b|\bI(?:['’]d| would) (?:rather|prefer) not\b|\bI (?:prefer|choose) not to\b|\bI (?:won['’]t|will not) (?:\w+ )?(?:help|share|provide|tell|answer|discuss|write|explain|do)\b`,
		`\b(?:not|n['’]t) (?:within my (?:programming|capabilities|abilities|scope|purview)|possible for me)\b|\boutside (?:of )?what I\b|\b(?:would|not) be (?:in)?appropriate for me\b|\bI(?:['’]m| am) not (?:permitted|allowed|authori[sz]ed) to\b|\bsomething I(?:['’]m| am) not (?:permitted|allowed|able) to\b`,
	),
	// My rules do not let me.
	newWay([]string{"guideline", "polic", "rules", "programming", "instruction", "training", "principle", "terms"},
		`\b(?:my|our) (?:guidelines?|polic(?:y|ies)|rules|programming|instructions|training) (?:prevents?|prohibits?|forbids?|do(?:es)?(?: not|n['’]t) allow|restricts?|keeps?|stops?) (?:me|us)\b|\b(?:against|violates?|contrary to) (?:my|our) (?:\w+ )?(?:polic(?:y|ies)|guidelines?|rules|principles|terms)\b`,
	),
	// The same in German.
	newWay([]string{"nicht", "keine"},
		`\bich (?:kann|darf|möchte|werde) [^.!?\n]{0,40}\bnicht\b|\bich wei(?:ß|ss) (?:es )?(?:leider )?nicht\b|\b(?:ich habe|enthält|gibt|es gibt|finden sich) (?:\w+ )?keine (?:informationen|angaben|daten|hinweise)\b|\bsteht (?:\w+ )?nicht\b|\bgeht [^.!?\n]{0,40}\bnicht hervor\b`,
	),
	// In French.
	newWay([]string{"pas", "aucun", "désol"},
		`\bje ne (?:peux|sais|suis|dispose|trouve|peux)\b[^.!?\n]{0,30}\bpas\b|\bje n['’]ai (?:pas|aucune)\b|\bje suis désolée?\b|\b(?:texte|contexte|document|passage|article)\b[^.!?\n]{0,20} ne (?:mentionne|précise|contient|dit|donne|fournit|indique|parle)\b[^.!?\n]{0,15}\b(?:pas|aucune?)\b|\baucune information\b`,
	),
	// In Spanish.
	newWay([]string{"no ", "siento"},
		`\bno (?:puedo|sé|tengo|dispongo|encuentro)\b|\blo siento\b|\b(?:texto|contexto|documento|pasaje|artículo)\b[^.!?\n]{0,20} no (?:menciona|dice|contiene|especifica|indica|incluye|proporciona)\b|\bno hay información\b`,
	),
	// In Italian.
	newWay([]string{"non ", "dispiace"},
		`\bnon (?:posso|so|ho (?:informazioni|accesso)|sono in grado|trovo|dispongo)\b|\bmi dispiace\b|\b(?:testo|contesto|documento|brano|articolo)\b[^.!?\n]{0,20} non (?:menziona|dice|contiene|specifica|indica|include|fornisce)\b`,
	),
	// In Portuguese.
	newWay([]string{"não", "nao", "desculpe"},
		`\bn[ãa]o (?:posso|sei|tenho|encontrei|consigo|disponho)\b|\bdesculpe\b|\b(?:texto|contexto|documento|trecho|artigo)\b[^.!?\n]{0,20} n[ãa]o (?:menciona|diz|contém|especifica|indica|inclui|fornece|informa)\b`,
	),
}

// abstention returns where a sentence first says that its speaker, or what he was given,
// does not tell what was asked; nil where it does not say so.
func abstention(sentence string) []int {
	var first []int
	lower := strings.ToLower(sentence)
	for _, w := range ways {
		if !slices.ContainsFunc(w.words, func(word string) bool { return strings.Contains(lower, word) }) {
			continue
		}
		if at := w.says.FindStringIndex(sentence); at != nil && (first == nil || at[0] < first[0]) {
			first = at
		}
	}
	return first
}

var (
	// yesOrNo is a sentence that answers a question with yes or no, or tells what a third
	// one said.
	yesOrNo = regexp.MustCompile(`(?i)^\W{0,3}(?:no|yes|nein|ja|non|oui|sí|si|não|sim)\s*[,;:.]|\b(?:said|says|told|wrote|answered|explained) that\b`)

	// goesOn is how a sentence goes on to answer behind what it does not know.
	goesOn = regexp.MustCompile(`(?i)(?:[,;]|\s)\s?(?:but|though|although|yet) (?:(?:the|it|he|she|they|you|we|most|there|these|those|his|her|its|their|I (?:can|do|think|believe|know))(?:\s|$)|(?-i:\p{Lu}\p{Ll}+) (?:is|are|was|were|has|have)\s)|\s*[,;] I do know\s`)
)

// abstains reports whether a sentence says that its speaker, or the given context, does
// not answer the question. A text in quotation marks has another speaker.
func abstains(sentence string) bool {
	s := unquoted(sentence)
	at := abstention(s)
	if at == nil || yesOrNo.MatchString(s) || goesOn.MatchString(s[at[1]:]) {
		return false
	}
	// Who answers first and then says what is open has answered.
	return !answersBefore.MatchString(s[:at[0]])
}

// answersBefore is a clause of its own that stands before an abstention.
var answersBefore = regexp.MustCompile(`\w{3,}[^.!?]*\b(?:is|are|was|were|costs?|has|have|ist|kostet|est|coûte|es|cuesta|è|costa|é|custa|leitet)\b[^.!?]*[;,]|;`)

// unquoted returns a sentence without what stands in quotation marks, unless that is all.
func unquoted(sentence string) string {
	s := lexical.WithoutQuotes(sentence)
	if strings.Trim(s, "… \t\n.!?") == "" {
		return sentence
	}
	return s
}
