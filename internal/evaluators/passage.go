// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// passage is what was retrieved: one text, or several where the text is a JSON
// array of texts or of documents.
type passage []string

// UnmarshalText takes any text.
func (p *passage) UnmarshalText(raw []byte) error {
	*p = passage{string(raw)}
	var elements []json.RawMessage
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '[' || json.Unmarshal(trimmed, &elements) != nil {
		return nil
	}
	chunks := make(passage, len(elements))
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

func (p passage) blank() bool { return blank(strings.Join(p, "")) }

func (p passage) text() string { return strings.Join(p, "\n") }

func (p passage) sentences() []string {
	var all []string
	for _, chunk := range p {
		if all = append(all, lexical.Sentences(chunk)...); len(all) >= lexical.MostSentences {
			return all[:lexical.MostSentences]
		}
	}
	return all
}

// dataBlock lays out the passage for a judge. Several texts are JSON, so that none
// can pass for two.
func (p passage) dataBlock() eval.DataBlock {
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

// bearing returns the sentences that resemble a question at least half as much as
// the one that does most; all of them where none does.
func bearing(question string, sentences []string) string {
	asked := lexical.Against(lexical.BagOf(question))
	likeness := make([]float64, len(sentences))
	most := 0.0
	for i, s := range sentences {
		likeness[i] = asked.Cosine(lexical.BagOf(s))
		most = max(most, likeness[i])
	}
	var kept []string
	for i, s := range sentences {
		if likeness[i] >= most/2 {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "\n")
}
