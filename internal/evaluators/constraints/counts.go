// SPDX-License-Identifier: Apache-2.0

package constraints

import (
	"regexp"
	"strings"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

var (
	wordCount        = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:total\s+)?words?` + bound)
	sentenceCount    = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:short\s+|long\s+|complete\s+|brief\s+)?sentences?` + bound)
	paragraphCount   = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:short\s+|brief\s+)?paragraphs?` + bound)
	dividedCount     = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:paragraphs?|sections?|parts?)\b`)
	bulletCount      = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:markdown\s+)?bullet(?:\s+|-)?(?:ed\s+)?(?:points?|lists?|items?)?\b`)
	placeholderCount = regexp.MustCompile(`(?i)` + quantity + `[\s-]*(?:different\s+)?placeholders?\b`)
	highlightCount   = regexp.MustCompile(`(?i)(?:highlight|itali[cs]i[sz]e)\w*\s+` + quantity + `\s+(?:\w+\s+){0,2}(?:sections?|parts?|phrases?|words?)\b`)
	highlightAfter   = regexp.MustCompile(`(?i)` + quantity + `\s+(?:\w+\s+){0,2}?(?:sections?|parts?|phrases?)\b[^.!?\n]{0,30}\b(?:highlighted|italici[sz]ed)\b`)
	sectionCount     = regexp.MustCompile(`(?i)` + quantity + `[\s-]*sections?\b`)
	sectionMark      = regexp.MustCompile(`\b([A-Za-z]{3,20}) X\b`)
	capitalsNear     = regexp.MustCompile(`(?i)^[^.!?\n]{0,30}\b(?:all[- ]?cap|capital)`)

	bulletLine  = regexp.MustCompile(listedLine + `.*$`)
	placeholder = regexp.MustCompile(`\[[^\[\]\n]+\]`)
	highlighted = regexp.MustCompile(`\*\*[^\n*]+\*\*|\*[^\n*]+\*`)
	blankLine   = regexp.MustCompile(`\n[ \t]*\n`)
)

func readWordCount(instructions string) []Constraint {
	at := wordCount.FindStringIndex(instructions)
	if at == nil || capitalsNear.MatchString(instructions[at[1]:]) || number(wordCount.FindStringSubmatch(instructions)[2]) < 3 {
		return nil
	}
	return counted("number of words", wordCount, instructions, true, pytext.CountWords)
}

func readSentenceCount(instructions string) []Constraint {
	if groups := sentenceCount.FindStringSubmatch(instructions); groups == nil || onlyArticle(groups) {
		return nil
	}
	return counted("number of sentences", sentenceCount, instructions, false, countSentences)
}

func countSentences(text string) int { return len(sentencesOf(text)) }

func sentencesOf(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		for found := sentences.FromString(line); found.Next(); {
			if strings.IndexFunc(found.Value(), pytext.IsWordRune) >= 0 {
				all = append(all, found.Value())
			}
		}
	}
	return all
}

func readParagraphCount(instructions string) []Constraint {
	expression := paragraphCount
	divided := strings.Contains(instructions, "***") && !strings.Contains(instructions, "******")
	if divided {
		expression = dividedCount
	}
	groups := expression.FindStringSubmatch(instructions)
	if groups == nil || onlyArticle(groups) {
		return nil
	}
	return counted("number of paragraphs", expression, instructions, false, func(response string) int {
		return len(paragraphs(response, divided))
	})
}

// paragraphs returns the parts of a text between blank lines, or between
// dividers of three asterisks.
func paragraphs(text string, divided bool) []string {
	var parts []string
	if divided {
		parts = strings.Split(text, "***")
	} else {
		parts = blankLine.Split(text, -1)
	}
	full := parts[:0]
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			full = append(full, part)
		}
	}
	return full
}

func readBulletCount(instructions string) []Constraint {
	if groups := bulletCount.FindStringSubmatch(instructions); groups == nil || onlyArticle(groups) {
		return nil
	}
	return counted("bullet points", bulletCount, instructions, false, func(response string) int {
		return len(bulletLine.FindAllString(response, -1))
	})
}

func readPlaceholderCount(instructions string) []Constraint {
	return counted("placeholders", placeholderCount, instructions, false, func(response string) int {
		return len(placeholder.FindAllString(response, -1))
	})
}

func readHighlightCount(instructions string) []Constraint {
	expression := highlightCount
	if !expression.MatchString(instructions) {
		expression = highlightAfter
	}
	return counted("highlighted parts", expression, instructions, false, func(response string) int {
		return len(highlighted.FindAllString(response, -1))
	})
}

func readSectionCount(instructions string) []Constraint {
	mark := sectionMark.FindStringSubmatch(instructions)
	groups := sectionCount.FindStringSubmatch(instructions)
	if mark == nil || groups == nil {
		return nil
	}
	heading := regexp.MustCompile(`(?m)\b` + regexp.QuoteMeta(mark[1]) + `[ \t]+(?:\d+|[IVX]+|[A-Z])\b`)
	want := newAmount("", groups[1:], false)
	return []Constraint{{About: "sections", Holds: func(response string) bool {
		return want.has(len(heading.FindAllString(response, -1)))
	}}}
}
