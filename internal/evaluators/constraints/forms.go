// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

const (
	// nthParagraph has two groups, of which one is set.
	nthParagraph = `(?:(first|second|third|fourth|fifth|sixth|seventh|eighth|last|\d{1,2}(?:st|nd|rd|th))\s+paragraph|paragraph\s+(\d{1,2}))`
	anAnswer     = `(?:answers?|responses?|repl(?:y|ies)|messages?|e-?mails?|letters?|outputs?)`
	oneWord      = `(?:(?:the\s+)?word\s+"?|")([\pL\d'-]{1,40})"?`
)

var (
	wantsTitle      = regexp.MustCompile(`(?i)<<\s*[^<>\n]{1,60}>>|double angular brackets`)
	title           = regexp.MustCompile(`<<[^<>\n]+>>`)
	wantsPostscript = regexp.MustCompile(`(?i)\bpost[- ]?script\b|\bP\.\s?P\.\s?S\b|\bP\.\s?S\.`)
	doubled         = regexp.MustCompile(`(?i)P\.\s?P\.\s?S`)
	postscript      = regexp.MustCompile(`(?im)^[ \t"*]*(?:P\.\s?S\.?|PS\b|post[- ]?script)`)
	postscript2     = regexp.MustCompile(`(?im)^[ \t"*]*P\.\s?P\.\s?S`)
	wantsQuotation  = regexp.MustCompile(`(?i)\b(?:wrap|surround|enclose|put|place|within|inside|with)\w*\b[^.!?\n]{0,80}\bdouble\s+quot`)
	wantsEnding     = regexp.MustCompile(`(?i)(?:\b(?:end|finish|conclude|close|sign off|ending|finishing|closing)\b[^"\n]{0,100}|\b(?:last|final|closing)\s+(?:sentence|phrase|line|words?)\b[^"\n]{0,80})"([^"\n]{2,200})"`)
	plainEnding     = regexp.MustCompile(`(?i)\b(?:end|finish|conclude)\s+(?:\w+\s+){0,6}?(?:phrase|question|sentence|words?|with)\s*:\s*([^\n]{2,200})`)
	// wantsOpening speaks of the answer as a whole: of a paragraph or of each line of it,
	// other words stand before or behind "start".
	wantsOpening = regexp.MustCompile(`(?i)(?:` +
		`\b(?:start|begin|open)(?:ing)?\s+(?:all\s+)?(?:of\s+)?(?:your|the|this|each|every)\s+(?:\w+\s+){0,2}?` + anAnswer + `\s+with\s+|` +
		`\b` + anAnswer + `\s+(?:must|should|shall|has to|have to|needs? to|always)\s+(?:always\s+)?(?:start|begin|open)s?\s+with\s+|` +
		`(?:^|[.!?;:,\n]\s*|\b(?:please|always)\s+)(?:start|begin|open)\s+with\s+)` +
		`(?:(?:the|these|this)\s+(?:exact\s+|following\s+)?(?:words?|phrase|sentence|greeting|text|line)\s*:?\s+)?"([^"\n]{2,200})"`)
	unwantedOpening = regexp.MustCompile(`(?i)(?:\b(?:do not|never|avoid|must not|should not)|n't)\s+(?:ever\s+)?(?:start|begin|open)(?:ing)?\s+[^"\n.]{0,40}?"([^"\n]{2,200})"`)
	firstWords      = regexp.MustCompile(`(?i)\b(?:first|opening)\s+(?:words?|phrase|sentence|line)\b(?:\s+of\s+(?:your|the)\s+` + anAnswer + `)?\s*(?:must|should|shall|has to|have to|is|are|be|:|\s)+"([^"\n]{2,200})"`)
	wantsFirstWord  = regexp.MustCompile(`(?i)\b` + nthParagraph + `\s+(?:\w+\s+){0,2}(?:start|begin)s?\s+with\s+` + oneWord + `|` +
		`\b(?:start|begin)\s+(?:the\s+)?` + nthParagraph + `\s+with\s+` + oneWord)
	wantsJSON   = regexp.MustCompile(`(?i)\b(?:entire|whole|all|only|just|full)\b[^.!?\n]{0,60}\bjson\b|\bjson\s+(?:format|block|object|only|output)\b|\b(?:in|as|using|valid)\s+json\b|(?:^|[.!?,;:\n]\s*|\b(?:please|always|must|should)\s+)(?:return|output|produce|give|send|reply with|respond with|answer with)\s+(?:(?:me|only|just|a|an|valid|raw|strict|pure)\s+)*json\b`)
	fenced      = regexp.MustCompile("(?s)^```[a-zA-Z]*\\s*\\n(.*?)\\n?```$")
	keysOf      = regexp.MustCompile(`(?i)\b(?:keys?|fields?|members|properties)\b[^.!?\n]{0,30}?"[^"\n]{1,60}"(?:\s*(?:,|and|,\s*and)\s*"[^"\n]{1,60}")*`)
	wantsTwo    = regexp.MustCompile(`(?i)\b(?:6|six)\s+asterisk|\*{6}`)
	wantsChoice = regexp.MustCompile(`(?i)\b(?:one of|from|choose|select)\b[^:"'\n]{0,60}\b(?:following|options|phrases|choices)\b[^"'\n]{0,40}((?:[("'\s]*"[^"\n]{2,80}"|[(\s]*'[^'\n]{2,80}')(?:\s*(?:,|or|,\s*or)\s*(?:"[^"\n]{2,80}"|'[^'\n]{2,80}'))+)`)
	choiceLines = regexp.MustCompile(`(?i)\b(?:one of|from|choose|select)\b[^:\n]{0,60}:[ \t]*\n+((?:[^\n]{2,80}(?:\n|$)){2,8})`)
	wantsRepeat = regexp.MustCompile(`(?im)^.*?(?:\b(?:first,?\s+)?(?:please\s+)?repeat\s+(?:the|all)\s+(?:exact\s+)?(?:request|question|prompt|sentence|text)s?\b(?:\s+(above))?(?:[^.!?\n]{0,40}\b(?:word (?:for|by) word|exactly|without change|verbatim|first)\b|,?\s*then\b))`)
	repeatStart = regexp.MustCompile(`(?i)(?:\b(?:let's|please|first,?|you need to|you should|i would like you to)\s+)*\brepeat\b`)
)

// ordinals are the paragraphs that are named; -1 is the last one.
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "last": -1}

func readTitle(instructions string) []Constraint {
	if !wantsTitle.MatchString(instructions) {
		return nil
	}
	return []Constraint{{About: "a title in << >>", Holds: title.MatchString}}
}

func readPostscript(instructions string) []Constraint {
	switch {
	case !wantsPostscript.MatchString(instructions):
		return nil
	case doubled.MatchString(instructions):
		return []Constraint{{About: "a postscript", Holds: postscript2.MatchString}}
	default:
		return []Constraint{{About: "a postscript", Holds: postscript.MatchString}}
	}
}

func readQuotation(instructions string) []Constraint {
	if !wantsQuotation.MatchString(instructions) {
		return nil
	}
	return []Constraint{{About: "double quotation marks", Holds: func(response string) bool {
		response = strings.TrimSpace(response)
		return len(response) > 1 && response[0] == '"' && response[len(response)-1] == '"'
	}}}
}

func readEnding(instructions string) []Constraint {
	at := wantsEnding.FindStringSubmatchIndex(instructions)
	if at == nil || postscript.MatchString(instructions[at[2]:at[3]]) || postscript2.MatchString(instructions[at[2]:at[3]]) {
		if at = plainEnding.FindStringSubmatchIndex(instructions); at == nil {
			return nil
		}
	}
	phrase := strings.Trim(strings.ToLower(strings.TrimSpace(instructions[at[2]:at[3]])), `"`)
	never := denied.MatchString(instructions[:at[0]])
	return []Constraint{{About: "the last phrase", Holds: func(response string) bool {
		response = strings.ToLower(strings.Trim(response, " \t\r\n\"*_"))
		return (strings.HasSuffix(response, phrase) || strings.HasSuffix(strings.TrimRight(response, ".!?…"), phrase)) != never
	}}}
}

func readOpening(instructions string) []Constraint {
	found := unwantedOpening.FindStringSubmatch(instructions)
	never := found != nil
	if found == nil {
		found = wantsOpening.FindStringSubmatch(instructions)
	}
	if found == nil {
		found = firstWords.FindStringSubmatch(instructions)
	}
	if found == nil {
		return nil
	}
	phrase := strings.ToLower(strings.TrimSpace(found[1]))
	return []Constraint{{About: "the first phrase", Holds: func(response string) bool {
		rest, begins := strings.CutPrefix(strings.ToLower(strings.TrimLeft(response, " \t\r\n\"*_#>")), phrase)
		next, _ := utf8.DecodeRuneInString(rest)
		last, _ := utf8.DecodeLastRuneInString(phrase)
		return (begins && (rest == "" || !pytext.IsWordRune(last) || !pytext.IsWordRune(next))) != never
	}}}
}

func readFirstWord(instructions string) []Constraint {
	found := wantsFirstWord.FindStringSubmatch(instructions)
	if found == nil {
		return nil
	}
	which, word := strings.ToLower(found[1]+found[2]+found[4]+found[5]), found[3]+found[6]
	n, ok := ordinals[which]
	if !ok {
		n = number(strings.TrimRight(which, "stndrh"))
	}
	return []Constraint{{About: "the first word of a paragraph", Holds: func(response string) bool {
		parts := paragraphs(response, false)
		at := n - 1
		if n < 0 {
			at = len(parts) - 1
		}
		if at < 0 || at >= len(parts) {
			return false
		}
		words := strings.FieldsFunc(parts[at], func(r rune) bool { return !pytext.IsWordRune(r) && r != '\'' && r != '-' })
		return len(words) > 0 && strings.EqualFold(words[0], word)
	}}}
}

func readJSONOnly(instructions string) []Constraint {
	if !wantsJSON.MatchString(instructions) {
		return nil
	}
	keys := quotedTexts(keysOf.FindString(instructions))
	about := "JSON"
	if len(keys) > 0 {
		about = "JSON keys"
	}
	return []Constraint{{About: about, Holds: func(response string) bool {
		response = strings.TrimSpace(response)
		if inside := fenced.FindStringSubmatch(response); inside != nil {
			response = inside[1]
		}
		if len(keys) == 0 {
			return json.Valid([]byte(response))
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(response), &object); err != nil {
			return false
		}
		return !slices.ContainsFunc(keys, func(key string) bool { _, has := object[key]; return !has })
	}}}
}

func readTwoResponses(instructions string) []Constraint {
	if !wantsTwo.MatchString(instructions) {
		return nil
	}
	return []Constraint{{About: "two answers", Holds: func(response string) bool {
		parts := strings.Split(response, "******")
		return len(parts) == 2 && strings.TrimSpace(parts[0]) != "" && strings.TrimSpace(parts[1]) != "" &&
			strings.TrimSpace(parts[0]) != strings.TrimSpace(parts[1])
	}}}
}

func readChoice(instructions string) []Constraint {
	var choices []string
	if found := wantsChoice.FindStringSubmatch(instructions); found != nil {
		choices = quotedTexts(found[1])
	} else if found := choiceLines.FindStringSubmatch(instructions); found != nil {
		for line := range strings.Lines(found[1]) {
			choices = append(choices, strings.TrimLeft(strings.TrimSpace(line), "*-• "))
		}
	}
	if len(choices) < 2 {
		return nil
	}
	return []Constraint{{About: "one of the phrases", Holds: func(response string) bool {
		for _, choice := range choices {
			if strings.Contains(response, choice) {
				return true
			}
		}
		return false
	}}}
}

func readRepeat(instructions string) []Constraint {
	line := wantsRepeat.FindStringIndex(instructions)
	if line == nil || strings.Contains(instructions[line[0]:line[1]], "below") {
		return nil
	}
	request := oneLine(instructions[:line[0]+repeatStart.FindStringIndex(instructions[line[0]:line[1]])[0]])
	if request == "" {
		return nil
	}
	return []Constraint{{About: "the request repeated first", Holds: func(response string) bool {
		return strings.HasPrefix(oneLine(response), request)
	}}}
}

func oneLine(text string) string { return strings.ToLower(strings.Join(pytext.SplitWords(text), " ")) }

// scripts are the languages that their script identifies.
var scripts = map[string]*unicode.RangeTable{
	"kannada": unicode.Kannada, "punjabi": unicode.Gurmukhi, "marathi": unicode.Devanagari, "hindi": unicode.Devanagari, "nepali": unicode.Devanagari,
	"bengali": unicode.Bengali, "telugu": unicode.Telugu, "tamil": unicode.Tamil, "gujarati": unicode.Gujarati, "korean": unicode.Hangul,
	"thai": unicode.Thai, "urdu": unicode.Arabic, "persian": unicode.Arabic, "farsi": unicode.Arabic, "arabic": unicode.Arabic,
	"russian": unicode.Cyrillic, "bulgarian": unicode.Cyrillic, "ukrainian": unicode.Cyrillic, "greek": unicode.Greek, "hebrew": unicode.Hebrew,
	"chinese": unicode.Han, "georgian": unicode.Georgian, "armenian": unicode.Armenian,
}

var wantsLanguage = regexp.MustCompile(`(?i)\b(?:in|using|use|only|entirely|completely)\s+(?:\w+\s+){0,2}?(kannada|punjabi|marathi|hindi|nepali|bengali|telugu|tamil|gujarati|korean|thai|urdu|persian|farsi|arabic|russian|bulgarian|ukrainian|greek|hebrew|chinese|georgian|armenian)\b`)

// minScript is the share of a text's letters that are of its script: names and
// terms may be of another.
const minScript = 0.6

func readScript(instructions string) []Constraint {
	found := wantsLanguage.FindStringSubmatch(instructions)
	if found == nil {
		return nil
	}
	script := scripts[strings.ToLower(found[1])]
	return []Constraint{{About: "the script of the language", Holds: func(response string) bool {
		letters, of := 0, 0
		for _, r := range response {
			if unicode.IsLetter(r) || unicode.IsMark(r) {
				letters++
				if unicode.Is(script, r) || unicode.IsMark(r) {
					of++
				}
			}
		}
		return letters > 0 && float64(of) >= minScript*float64(letters)
	}}}
}
