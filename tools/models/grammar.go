// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// grammar makes sentences of frames, whose slots in braces it fills from lists.
//
//	[list]       begins a list; its entries follow, one in a line
//	[+ n]        begins frames of sentences that are of the class, n of each
//	[- n]        begins frames of sentences that are not
//
// A line that begins with a number sign and a space is a comment.
type grammar struct {
	lists  map[string][]string
	frames []frame
}

type frame struct {
	text  string
	class int
	count int
}

func parseGrammar(source string) (*grammar, error) {
	g := &grammar{lists: map[string][]string{}}
	list, class, count := "", none, 0
	for n, line := range strings.Split(source, "\n") {
		line = strings.TrimRight(line, " \r") // what is before an entry belongs to it
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "{"):
			head := line[1 : len(line)-1]
			list, class, count = head, none, 0
			if head != "" && (head[0] == '+' || head[0] == '-') {
				if _, err := fmt.Sscan(head[1:], &count); err != nil {
					return nil, fmt.Errorf("line %d: %w", n+1, err)
				}
				if head[0] == '+' {
					class = 0
				}
			}
		case count > 0:
			g.frames = append(g.frames, frame{line, class, count})
		default:
			g.lists[list] = append(g.lists[list], line)
		}
	}
	return g, nil
}

var slot = regexp.MustCompile(`\{[a-z-]+\}`)

// sentences returns the examples that the source of a grammar makes.
func sentences(source string) ([]example, error) {
	g, err := parseGrammar(source)
	if err != nil {
		return nil, err
	}
	return g.sentences()
}

// sentences returns the examples the grammar makes, the same every time. How
// often they are alike is up to the lists: none is given twice.
func (g *grammar) sentences() ([]example, error) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same sentences every time is the point
	var made []example
	seen := map[string]bool{}
	for _, f := range g.frames {
		for range f.count {
			text, err := g.fill(f.text, random, 0)
			if err != nil {
				return nil, err
			}
			if !seen[text] {
				seen[text] = true
				made = append(made, example{text: text, class: f.class})
			}
		}
	}
	return made, nil
}

const deepest = 8

func (g *grammar) fill(text string, random *rand.Rand, depth int) (string, error) {
	if depth > deepest {
		return "", fmt.Errorf("%q: lists go round in a circle", text)
	}
	var failed error
	filled := slot.ReplaceAllStringFunc(text, func(s string) string {
		list := g.lists[s[1:len(s)-1]]
		if len(list) == 0 {
			failed = fmt.Errorf("there is no list %s", s)
			return ""
		}
		entry := list[random.IntN(len(list))]
		if entry == "_" { // nothing
			return ""
		}
		got, err := g.fill(entry, random, depth+1)
		if err != nil {
			failed = err
		}
		return got
	})
	return strings.ReplaceAll(filled, `\n`, "\n"), failed
}
