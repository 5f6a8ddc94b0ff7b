// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/language"
)

// languages are those that their words identify.
var languages = map[string]string{
	"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt", "dutch": "nl", "polish": "pl", "turkish": "tr",
}

var (
	// answersIn speaks of the language of the whole answer: what stands behind its name
	// makes it no adjective, as in "in French history".
	answersIn = regexp.MustCompile(`(?i)\b(?:answer|respond|reply|write|speak|communicate|(?:` + anAnswer + `|text)\s+(?:must|should|shall|has to|have to|needs? to)\s+(?:always\s+|only\s+)?be(?:\s+written)?)\b` +
		`[^.!?;:"\n]{0,40}?\b(?:in|using)\s+(?:(?:only|the|plain|fluent|simple|correct|formal)\s+){0,2}` +
		`(english|german|french|spanish|italian|portuguese|dutch|polish|turkish)(?:\s+(?:language|only|and|with|using|regardless|whatever|no matter|even)\b|\s*(?:[.,;:!?)\n]|$))`)
	// onlySometimes makes an instruction one that does not hold for every answer, says the
	// opposite, or speaks of who gives it.
	onlySometimes = regexp.MustCompile(`(?i)\b(?:if|when|whenever|unless|where|while|not|never|avoid|either|or|part|once)\b|n't\b|\bI(?:'ll| will| shall| may| can)\b`)
)

func readLanguage(instructions string) []Constraint {
	at := answersIn.FindStringSubmatchIndex(instructions)
	if at == nil {
		return nil
	}
	begin := strings.LastIndexAny(instructions[:at[0]], ".!?\n") + 1
	if onlySometimes.MatchString(instructions[begin:at[3]]) {
		return nil
	}
	wanted := languages[strings.ToLower(instructions[at[2]:at[3]])]
	return []Constraint{{
		About: "the language",
		Holds: func(response string) bool { return language.Of(response) == wanted },
		Tells: func(response string) bool { return language.Of(response) != "" },
	}}
}
