// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"cmp"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// conversation is the messages of the calls of a trace, put together.
type conversation struct {
	messages []storedMessage
	answered []bool // by message: it is a completion
}

// conversation returns the messages of the calls below the span. Most calls repeat
// what was said before; of a message, those beyond what earlier calls had of
// it are new.
func (t *tree) conversation() *conversation {
	if t.told != nil {
		return t.told
	}
	t.told = &conversation{}
	shown := map[string]int{}
	for _, n := range t.calls() {
		ofCall := map[string]int{}
		for _, q := range questions(n) {
			key := q.key()
			if ofCall[key]++; ofCall[key] > shown[key] {
				shown[key]++
				t.told.add(q, false)
			}
		}
		for _, a := range answers(n) {
			shown[a.key()]++
			t.told.add(a, true)
		}
	}
	return t.told
}

func (t *conversation) add(x storedMessage, answered bool) {
	t.messages, t.answered = append(t.messages, x), append(t.answered, answered)
}

func (t *conversation) all() []storedMessage { return t.messages }

// said returns the messages that models answered, or the others.
func (t *conversation) said(answered bool) []storedMessage {
	var list []storedMessage
	for i := range t.messages {
		if t.answered[i] == answered {
			list = append(list, t.messages[i])
		}
	}
	return list
}

// key is the same for a message that an answer was and that later calls show
// as history, where ids and the spelling of arguments may differ.
func (t *storedMessage) key() string {
	parts := []string{t.role, t.text()}
	for _, c := range t.calls() {
		parts = append(parts, c.name)
	}
	return strings.Join(parts, "\x00") // which no stored text has
}

// toolRuns returns the spans of tools below the one that looks as a JSON array of
// {name, input}. Where two instrumentations show one run, one in the other,
// the outer one counts.
func (t *tree) toolRuns() string {
	tools := map[span.ID]string{} // names, by span
	for i := range t.spans {
		if n := &t.spans[i]; n.below && isTool(n) {
			tools[n.id] = n.toolName()
		}
	}
	var b []byte
	for i := range t.spans {
		n := &t.spans[i]
		name, ok := tools[n.id]
		if outer, within := tools[n.parent]; !ok || within && outer == name && n.parent != n.id {
			continue
		}
		b = append(b, "[,"[min(len(b), 1)])
		b = appendMember(b, `{"name":`, name)
		b = append(appendArguments(append(b, `,"input":`...), toolArguments(n.inputText())), '}')
	}
	return closed(b)
}

var toolNames = []semconv.Attribute{semconv.GenAITool, semconv.OpenInferenceTool, semconv.VercelTool, semconv.TraceloopEntity, semconv.PlatformEntity}

func (n *node) toolName() string {
	return cmp.Or(n.sourceValues().firstOf(toolNames), valuetext.Valid(n.span.Name()))
}

// toolArguments returns what a tool was called with. Of recorded arguments of a
// function, {"args", "kwargs"}, it is the named ones if there are no others,
// or the only one if that is an object.
func toolArguments(input string) string {
	found, ok := valuetext.Members(input, "args", "kwargs")
	if !ok || found[0].Kind != '[' || found[1].Kind != '{' {
		return input
	}
	args, named := valuetext.Elements(found[0].Raw), !emptyObject(found[1].Raw)
	switch {
	case len(args) == 0:
		return found[1].Compact()
	case !named && len(args) == 1 && args[0].Kind == '{':
		return args[0].Compact()
	}
	return input
}

func emptyObject(text string) bool {
	r := valuetext.Read(text)
	return r.Enter('{') && !r.More()
}

// toolText returns what a tool answered as text.
func toolText(output string) string {
	switch text := strings.TrimSpace(output); {
	case text == "null":
		return ""
	case strings.HasPrefix(text, `"`):
		return unquoted(output)
	}
	if text, ok := partTexts(output); ok {
		return text
	}
	return output
}
