// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholder is what points to an input. What stands in the braces is a name
// and nothing but a name: there is no language to write in here.
var placeholder = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// checkPlaceholders refuses those that point to no input.
func (c *CustomEvaluator) checkPlaceholders() error {
	for i, m := range c.Messages {
		for _, found := range placeholder.FindAllStringSubmatch(m.Content, -1) {
			known := func(f CustomField) bool { return f.Name == found[1] }
			switch {
			case slices.ContainsFunc(c.Input, known):
			case customField.MatchString(found[1]):
				return invalid("messages[%d].content: {{%s}} is not an input of input_schema", i, found[1])
			default:
				return invalid("messages[%d].content has a placeholder that is no name of an input: {{name}}", i)
			}
		}
	}
	return nil
}

// pointers turns placeholders into words that point to a part of the data. The
// value itself never enters a message of the author's.
func pointers(content string) string {
	return placeholder.ReplaceAllStringFunc(content, func(found string) string {
		return fmt.Sprintf("[data %q]", placeholder.FindStringSubmatch(found)[1])
	})
}

// customPrompt is the version of the words below.
const customPrompt = "1"

const customInstructions = `Where a message says [data "name"], the piece of the material that has this name is meant.`

// version returns a text that changes with every word of the prompt.
func (c *CustomEvaluator) version() string { return c.VersionID + "/" + customPrompt }

// question is what the judge is asked about these parts.
func (c *CustomEvaluator) question(data []DataBlock) Question {
	q := Question{
		Evaluator: c.Slug,
		Version:   c.version(),
		Data:      data,
		Schema:    answerSchema(c.Output),
		Model:     c.Model,
		Sampling:  c.Sampling,
	}
	var system []string
	for _, m := range c.Messages {
		if m.Role == RoleSystem {
			system = append(system, pointers(m.Content))
			continue
		}
		q.Turns = append(q.Turns, Turn{Role: m.Role, Text: pointers(m.Content)})
	}
	q.Instructions = strings.Join(append(system, customInstructions), "\n\n")
	return q
}
