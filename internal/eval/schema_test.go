// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestFieldsAreShownToClients(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	shown, err := json.Marshal(e.Output)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"type": "string", "name": "text", "description": "The text again."},
		{"type": "float", "name": "length", "description": "Its bytes."},
		{"type": "float", "name": "sum", "description": "Of the list."},
		{"type": "float", "name": "ratio", "description": "The ratio again."},
		{"type": "boolean", "name": "loud", "description": "Whether in capitals."}
	]`, string(shown))
	require.Equal(t, span.PartOutput, e.Input[0].Part)
	require.True(t, e.Input[0].Required)
	require.True(t, e.Input[2].JSONText)
	require.True(t, e.Input[3].Whole)
	require.InDelta(t, 1, *e.Config[0].Max, 0)
	require.InDelta(t, 0.5, e.Config[0].Default, 0)
	require.Equal(t, false, e.Config[3].Default)
}

func TestSchemasForOpenAPI(t *testing.T) {
	t.Parallel()
	e := newEcho(t)
	request, err := json.Marshal(e.RequestSchema())
	require.NoError(t, err)
	require.JSONEq(t, `{
		"type": "object",
		"required": ["input"],
		"properties": {
			"input": {"type": "object", "required": ["text"], "properties": {
				"text": {"type": "string", "description": "A text."},
				"note": {"type": "string", "description": "An optional text."},
				"list": {"type": ["string", "array", "object"], "contentMediaType": "application/json", "description": "A list."},
				"whole_text": {"type": "string", "description": "Never cut."},
				"tags": {"type": ["string", "array", "object"], "contentMediaType": "application/json", "description": "A list of its own form."}
			}},
			"config": {"type": "object", "properties": {
				"ratio": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "description": "A ratio."},
				"least": {"type": "integer", "minimum": 2, "default": 2, "description": "At least this."},
				"most": {"type": "integer", "maximum": 9, "default": 0, "description": "At most this."},
				"loud": {"type": "boolean", "default": false, "description": "In capitals."},
				"prefix": {"type": "string", "default": "> ", "description": "Put before."},
				"words": {"type": ["string", "array", "object"], "contentMediaType": "application/json", "description": "Numbers | and bars."}
			}}
		},
		"examples": [{"input": {"text": "hi"}, "config": {"loud": true}}]
	}`, string(request))
	response, err := json.Marshal(e.ResponseSchema())
	require.NoError(t, err)
	require.JSONEq(t, `{
		"type": "object",
		"required": ["text", "length", "sum", "ratio", "loud"],
		"properties": {
			"text": {"type": "string", "description": "The text again."},
			"length": {"type": "integer", "description": "Its bytes."},
			"sum": {"type": "integer", "description": "Of the list."},
			"ratio": {"type": "number", "description": "The ratio again."},
			"loud": {"type": "boolean", "description": "Whether in capitals."},
			"score": {"type": "number", "description": "The number that the threshold is compared with."},
			"reason": {"type": "string", "description": "Why, in one sentence; language where the language of the text is not known."},
			"uncertain": {"type": "boolean", "description": "The evaluator cannot know: the other fields are its best guess."},
			"evidence": {"type": "array", "description": "The pieces of the inputs that decided, by their bytes.", "items": {
				"type": "object", "required": ["input", "start", "end"], "properties": {
					"input": {"type": "string"}, "kind": {"type": "string"}, "start": {"type": "integer", "minimum": 0}, "end": {"type": "integer", "minimum": 0}
				}
			}}
		},
		"examples": [{"text": "> HI", "length": 2, "sum": 0, "ratio": 0.5, "loud": true}]
	}`, string(response))
}

func TestCatalogFindsAndSorts(t *testing.T) {
	t.Parallel()
	first, second := echo(), echo()
	second.Slug = "again"
	one, err := New(first)
	require.NoError(t, err)
	two, err := New(second)
	require.NoError(t, err)
	c, err := NewCatalog(one, two)
	require.NoError(t, err)
	require.Equal(t, []*Evaluator{two, one}, c.All())
	got, ok := c.Get("echo")
	require.True(t, ok)
	require.Same(t, one, got)
	_, ok = c.Get("none")
	require.False(t, ok)
	_, err = NewCatalog(one, one)
	require.EqualError(t, err, `evaluator "echo" is defined twice`)
	var empty Catalog
	_, ok = empty.Get("echo")
	require.False(t, ok)
}

func TestMarkdownShowsEverything(t *testing.T) {
	t.Parallel()
	c, err := NewCatalog(newEcho(t))
	require.NoError(t, err)
	page := string(Markdown(c))
	for _, line := range []string{
		"- [echo](#echo)",
		"## echo\n\nGives back what it gets.\n\nBackend: embedded.",
		"| `text` | string | yes | `output` | A text. |",
		"| `whole_text` | string | no | `question`, whole | Never cut. |",
		"| `tags` | string holding JSON | no | - | A list of its own form. |",
		"| `ratio` | float, 0 to 1 | `0.5` | A ratio. |",
		"| `least` | integer, from 2 | `2` | At least this. |",
		"| `most` | integer, up to 9 | `0` | At most this. |",
		`| ` + "`words`" + ` | string holding JSON | none | Numbers \| and bars. |`,
		"A text:\n\n```json\n{\"input\": {\"text\": \"hi\"}, \"config\": {\"loud\": true}}\n```",
		"Refused: `input.text is required`.",
	} {
		require.Contains(t, page, line)
	}
}

func TestResultsOfOtherKindsAreRefused(t *testing.T) {
	t.Parallel()
	_, err := json.Marshal(Result{Outputs: []Output{{"a", func() {}}}})
	require.ErrorContains(t, err, "output a")
	require.Equal(t, "7", Output{"a", int64(7)}.Text())
	require.Equal(t, "text", Output{"a", "text"}.Text())
	require.Equal(t, "0.5", Output{"a", 0.5}.Text())
	require.Equal(t, "true", Output{"a", true}.Text())
	require.Contains(t, Output{"a", func() {}}.Text(), "0x")
}
