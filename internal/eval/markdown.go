// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Markdown renders the catalog as the page that users read.
func Markdown(c *Catalog) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Generated from the catalog by tools/evaluatordocs; do not edit. -->\n\n# Evaluators\n\n")
	b.WriteString("Each is called with `POST /v2/evaluators/<slug>/execute` and a body `{\"input\": {...}, \"config\": {...}}`, ")
	b.WriteString("and runs on the spans of a setup that names it.\n\n")
	fmt.Fprintf(&b, "A text may have up to %d bytes. A longer one is refused over HTTP; on a span it is cut, and the evaluation says so, ", MaxText)
	b.WriteString("but where the column *On a span* says *whole* it is refused there too. ")
	b.WriteString("An empty text is a text; only a missing field or null is missing. Unknown fields are ignored.\n\n")
	b.WriteString("Some evaluators know certain languages only when no model judges, as their sections say. They tell the language of texts of 20 letters or more, and of four where none of them is Latin. ")
	b.WriteString("A text in another language is *uncertain* with the reason `language`; its outputs are a guess. The header `X-Evaluator-Language` of `execute` has the language in ISO 639-1. A setup can ask a judge about such spans, or have them judged all the same (`other_languages`).\n\n")
	b.WriteString("In addition to its outputs, a result has:\n\n| Field | Meaning |\n|---|---|\n" +
		"| `reason` | Why, in one sentence. It quotes neither credentials nor personal data. Some evaluators have an output of this name, which keeps its own values in `execute`. |\n" +
		"| `score` | The number that the threshold is compared with. Missing where no number decides, and where the output is a count, a ratio or a perplexity. |\n" +
		"| `evidence` | Up to 20 pieces of the inputs that decided: the input, the kind, and the bytes from `start` to before `end`. |\n" +
		"| `uncertain` | `true` where the evaluator cannot know. |\n\n")
	for _, e := range c.All() {
		fmt.Fprintf(&b, "- [%s](#%s)\n", e.Slug, e.Slug)
	}
	for _, e := range c.All() {
		e.markdown(&b)
	}
	return b.Bytes()
}

// constants matches a list of names such as EMAIL_ADDRESS, which the page shows as code.
var constants = regexp.MustCompile(`\b[A-Z]+_[A-Z_]+(?:, [A-Z_]+)+`)

func (e *Evaluator) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\nBackend: %s.\n", e.Slug, constants.ReplaceAllString(e.Doc, "`$0`"), e.backendText())
	if len(e.Languages) > 0 {
		fmt.Fprintf(b, "\nLanguages, without a model: %s.\n", strings.Join(e.Languages, ", "))
	}
	b.WriteString("\n| Input | Type | Required | On a span | Meaning |\n|---|---|---|---|---|\n")
	for _, f := range e.Input {
		part := "-"
		if f.Part != "" {
			part = "`" + string(f.Part) + "`"
		}
		if f.Whole && f.Part != "" {
			part += ", whole"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.typeText(), yesNo(f.Required), part, cell(f.Description))
	}
	if len(e.Config) > 0 {
		b.WriteString("\n| Config | Type | Default | Meaning |\n|---|---|---|---|\n")
		for _, f := range e.Config {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Name, f.typeText(), f.defaultText(), cell(f.Description))
		}
	}
	b.WriteString("\n| Output | Type | Meaning |\n|---|---|---|\n")
	for _, f := range e.Output {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Name, f.typeText(), cell(f.Description))
	}
	b.WriteString("\nExamples:\n")
	for _, x := range e.allExamples() {
		about := x.About
		if len(x.Judge) > 0 {
			about = "with a judge, " + about
		}
		fmt.Fprintf(b, "\n%s\n\n```json\n{\"input\": %s", sentence(about), x.Input)
		if x.Config != "" {
			fmt.Fprintf(b, ", \"config\": %s", x.Config)
		}
		b.WriteString("}\n```\n")
		if len(x.Judge) > 0 {
			fmt.Fprintf(b, "\nThe judge says:\n\n```json\n%s\n```\n", strings.Join(x.Judge, "\n"))
		}
		if x.Want != "" {
			fmt.Fprintf(b, "\n```json\n%s\n```\n", x.Want)
		} else {
			fmt.Fprintf(b, "\nRefused: `%s`.\n", x.Refused)
		}
	}
}

// backendText says what judges, the best first.
func (e *Evaluator) backendText() string {
	backends := e.typed.backends()
	if len(backends) == 1 && backends[0] == e.Backend && e.Version == "" {
		return string(e.Backend)
	}
	texts := make([]string, len(backends))
	for i, b := range backends {
		texts[i] = string(b)
		if b == Judge && e.Version != "" {
			texts[i] += " with prompts of version " + e.Version
		}
	}
	if len(texts) == 1 {
		return texts[0] + ", which must be configured"
	}
	if backends[0] == e.Backend && e.Backend.InPlace() {
		return texts[0] + ", or on request " + strings.Join(texts[1:], " or ")
	}
	return strings.Join(texts, " if configured, else ")
}

func (f Field) typeText() string {
	text := string(f.Type)
	if f.Values != nil {
		text = "one of `" + strings.Join(f.Values, "`, `") + "`"
	}
	if f.JSONText {
		text += " holding JSON"
	}
	switch {
	case f.Min != nil && f.Max != nil:
		text += fmt.Sprintf(", %v to %v", *f.Min, *f.Max)
	case f.Min != nil:
		text += fmt.Sprintf(", from %v", *f.Min)
	case f.Max != nil:
		text += fmt.Sprintf(", up to %v", *f.Max)
	}
	return text
}

func (f Field) defaultText() string {
	switch {
	case f.Required:
		return "required"
	case f.Default == nil:
		return "none"
	default:
		return fmt.Sprintf("`%v`", f.Default)
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// cell keeps a text within its cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func sentence(about string) string {
	if about == "" {
		return ""
	}
	return strings.ToUpper(about[:1]) + about[1:] + ":"
}
