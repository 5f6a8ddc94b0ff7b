// SPDX-License-Identifier: Apache-2.0

// Package htmlpage reads what of an HTML document is compared.
package htmlpage

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

// Page is what of an HTML document is compared.
type Page struct {
	Tags       []string       // opening tags by name, closing ones with a slash
	Words      []string       // of the visible text
	Attributes map[string]int // how often each tag has each value of an attribute
}

// Empty reports whether a page has nothing to compare.
func (p *Page) Empty() bool {
	return len(p.Tags) == 0 && len(p.Words) == 0 && len(p.Attributes) == 0
}

// unseen are the elements whose content no reader sees.
var unseen = map[string]bool{"script": true, "style": true, "template": true, "noscript": true}

// Read parses a document or a fragment. It fails only on documents nested
// deeper than the parser goes.
func Read(text string) (*Page, bool) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, false
	}
	p := &Page{Attributes: make(map[string]int)}
	p.read(root)
	return p, true
}

func (p *Page) read(root *html.Node) {
	// No recursion: how deep a page is nested is up to its author.
	for n, down := root, true; n != nil; {
		if down {
			down = p.enter(n) && n.FirstChild != nil
		}
		if down {
			n = n.FirstChild
			continue
		}
		p.leave(n)
		if n == root {
			return
		}
		if n.NextSibling != nil {
			n, down = n.NextSibling, true
		} else {
			n = n.Parent
		}
	}
}

// enter takes what n shows and reports whether to look inside.
func (p *Page) enter(n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		p.Words = append(p.Words, pytext.SplitWords(norm.NFC.String(n.Data))...)
	case html.ElementNode:
		if !implied(n) {
			p.Tags = append(p.Tags, n.Data)
		}
		for _, a := range n.Attr {
			for _, value := range attributeValues(a) {
				p.Attributes[n.Data+" "+a.Key+"="+value]++
			}
		}
		return !unseen[n.Data]
	}
	return true
}

func (p *Page) leave(n *html.Node) {
	if n.Type == html.ElementNode && !implied(n) {
		p.Tags = append(p.Tags, "/"+n.Data)
	}
}

// implied reports whether n may be there only because the parser completes
// every document.
func implied(n *html.Node) bool {
	return len(n.Attr) == 0 && (n.Data == "html" || n.Data == "head" || n.Data == "body")
}

// attributeValues returns the parts of an attribute whose order means nothing.
func attributeValues(a html.Attribute) []string {
	switch a.Key {
	case "class":
		return pytext.SplitWords(a.Val)
	case "style":
		var rules []string
		for rule := range strings.SplitSeq(a.Val, ";") {
			name, value, _ := strings.Cut(rule, ":")
			if name = strings.TrimSpace(name); name != "" {
				rules = append(rules, strings.ToLower(name)+":"+strings.Join(pytext.SplitWords(value), " "))
			}
		}
		return rules
	default:
		return []string{strings.Join(pytext.SplitWords(a.Val), " ")}
	}
}
