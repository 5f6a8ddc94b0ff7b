// SPDX-License-Identifier: Apache-2.0

package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// Passage is what was retrieved: one text, or several where the text is a JSON
// array of texts or of documents.
type Passage []string

// UnmarshalText takes any text.
func (p *Passage) UnmarshalText(raw []byte) error {
	*p = Passage{string(raw)}
	var elements []json.RawMessage
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '[' || json.Unmarshal(trimmed, &elements) != nil {
		return nil
	}
	chunks := make(Passage, len(elements))
	for i, element := range elements {
		text, ok := textOf(element)
		if !ok {
			text = string(element)
		}
		chunks[i] = text
	}
	*p = chunks
	return nil
}

// Blank reports whether nothing was retrieved.
func (p Passage) Blank() bool { return lexical.Blank(strings.Join(p, "")) }

// Text returns all of the texts as one.
func (p Passage) Text() string { return strings.Join(p, "\n") }

// Sentences returns the sentences of all texts, as many as are looked at.
func (p Passage) Sentences() []string {
	var all []string
	for _, chunk := range p {
		if all = append(all, lexical.Sentences(chunk)...); len(all) >= lexical.MostSentences {
			return all[:lexical.MostSentences]
		}
	}
	return all
}

// DataBlock lays out the passage for a judge. Several texts are JSON, so that none
// can pass for two.
func (p Passage) DataBlock() eval.DataBlock {
	d := eval.DataBlock{Name: "context"}
	if len(p) == 1 {
		d.Text = p[0]
		return d
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode([]string(p)); err == nil { // Texts can always be encoded.
		d.Text = b.String()
	}
	return d
}
