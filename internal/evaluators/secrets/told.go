// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// toldKeys are what passwords are called where a sentence of English gives them.
var toldKeys = []string{"password", "passcode", "passphrase", "passwd", "pwd"}

// Words for passwords of one's own or of a thing, and what it belongs to: my
// password, the wifi password, the password for the router.
const (
	toldWord  = `(?:passwords?|pass(?:code|phrase|wd)|pwd)`
	toldFor   = `(?: (?:for|of|to|on) [\w.@'’-]{1,30}(?: [\w.@'’-]{1,30}){0,3}?)?`
	toldValue = `["'\x60“‘*]{0,3}([^\s"'\x60“”‘’<>{}()\[\]|]{6,60})`
)

// toldTokens are passwords that a sentence tells, and the words by which a wallet is
// recovered.
var toldTokens = []token{
	{keywords: toldKeys, expression: `(?i)\b` + toldWord + toldFor + ` ?(?:(?:has been|was|is) (?:set|changed|reset) to|is (?:now|still)|is|was|will be) ?:?\s{1,2}` + toldValue, accept: isTold, sign: decimals},
	{keywords: toldKeys, expression: `(?i)\b(?:my|our|your) (?:[\w'’-]{1,20} ){0,2}?` + toldWord + toldFor + ` (?:is|was)(?: now| still)? ?:?\s{1,2}["'\x60“‘*]{0,3}([a-z]{6,30})["'\x60”’*]{0,3}(?:[.,;!?]|\s?$|\s?\n)`, accept: isNoWord},
	{keywords: toldKeys, expression: `(?i)\b` + toldWord + toldFor + ` (?:is|was)(?: now| still)? ?:?\s{1,2}["\x60“‘]([^\s"'\x60“”‘’<>{}()\[\]|]{6,60})["\x60”’]`, accept: isQuoted},
	{keywords: toldKeys, expression: `(?i)\b(?:my|our|your) (?:[\w'’-]{1,20} ){0,2}?` + toldWord + toldFor + ` (?:is|was)(?: now| still)? ?:?\s{1,2}` + toldValue, accept: isSigned},
	{keywords: toldKeys, expression: `(?i)\b(?:use|using|with|enter|type|try|and)(?: the| this| my| our)? ` + toldWord + `:? ` + toldValue, accept: isToldBeside, sign: decimals},
	{
		keywords:   []string{"seed phrase", "seed word", "recovery phrase", "recovery word", "mnemonic", "backup phrase", "seed-phrase", "recovery-phrase"},
		expression: `(?i:\b(?:seed|recovery|backup)[ -](?:phrase|words?)|\bmnemonic(?: phrase| words?| seed)?)[^\n]{0,60}?[\s:"'\x60“(,.]{1,6}((?:\d{1,2}[.):] ?)?[a-z]{3,8}(?:[ ,;\t\r\n]{1,4}(?:\d{1,2}[.):] ?)?[a-z]{3,8}){11,23})\b`, accept: isRecovery,
	},
}

var (
	// described are values that say what a password is like: 8-character, base64-encoded.
	described = regexp.MustCompile(`^\d{1,3}[+-]?[-_]?[a-z]+(?:-[a-z]+)*$|(?i:-(?:[a-z]+ed|only|based|bit|digit|characters?|chars?|like|safe|free|style|type|encoding|format|compatible|protected)$)|^[A-Z]{2,6}-\d+$|^v?\d+(?:\.\d+)+`)
	// numbered are names such as param2.
	numbered = regexp.MustCompile(`(?i)^[a-z_]+\d{1,2}$`)
	// address is one of mail.
	address = regexp.MustCompile(`^[^@]+@[^@]+\.[A-Za-z]{2,}$`)
	// ended are the ends of words that tell what is the matter with a password.
	ended = regexp.MustCompile(`(?:ed|ing|able|ible|ful|less|ous|ive|ish|ally|ly|ent|ant|ory|word|words)$`)
)

// toldOf returns a value without what ends its sentence.
func toldOf(value string) string { return strings.TrimRight(value, ".,;:!?*_") }

// isTold reports whether what a sentence says a password to be is one, and no word about
// it: it has letters and digits.
func isTold(value string) bool {
	value = toldOf(value)
	return len(value) >= 6 && isMixed(value) && isTyped(value) && !isDigest(value) && strings.IndexByte(value, '/') < 0 && !described.MatchString(value) && !algorithm.MatchString(value)
}

// isToldBeside is isTold for a value right behind the word, where names stand as well.
func isToldBeside(value string) bool {
	return isTold(value) && !numbered.MatchString(toldOf(value)) && !strings.ContainsAny(toldOf(value), "=:_,;.")
}

// isNoWord reports whether letters are no ordinary word of English, nor one of its forms.
func isNoWord(value string) bool {
	low := strings.ToLower(value)
	return isTyped(value) && !ended.MatchString(low) && !lexical.Usual(low) && !lexical.Usual(lexical.Stem(low))
}

// isSigned reports whether a value has signs among its letters that no word has.
func isSigned(value string) bool {
	value = toldOf(value)
	return len(value) >= 6 && isTyped(value) && strings.ContainsAny(value[1:len(value)-1], "!#^&~%@$") && !address.MatchString(value) && entropy(value) >= minPasswordEntropy
}

// isQuoted reports whether a sentence gives a value in quotes as a password: no word in them says
// what is the matter with it.
func isQuoted(value string) bool {
	letters := strings.Trim(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz") == ""
	return letters && isNoWord(value) || isTold(value) || isSigned(value)
}

// functionWords are words of sentences of which no list for recovery has one.
var functionWords = lexical.SetOf("the and for from are was were has have had not but his her its our their who how why which does did been would could should these those them him she " +
	"than per via also being into upon")

// commonWords are words of sentences that such lists have as well, but rarely.
var commonWords = lexical.SetOf("that this with you your will can all any when what where they then there must only about")

// isRecovery reports whether words are those by which a wallet is recovered: twelve or more,
// each for itself, that make no sentence. Words of a sentence may come before them.
func isRecovery(value string) bool {
	words := strings.FieldsFunc(value, func(r rune) bool { return r < 'a' || r > 'z' })
	for at := 0; at+fewestRecovery <= len(words); at++ {
		if (at == 0 || functionWords[words[at-1]]) && isWordList(words[at:at+fewestRecovery]) {
			return true
		}
	}
	return false
}

// fewestRecovery is how many words recover a wallet at least.
const fewestRecovery = 12

// isWordList reports whether words are none of a sentence.
func isWordList(words []string) bool {
	common := 0
	for _, w := range words {
		if commonWords[w] {
			common++
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(words)))
	return common <= 1 && len(distinct) >= len(words)-1 && !slices.ContainsFunc(words, func(w string) bool { return functionWords[w] })
}
