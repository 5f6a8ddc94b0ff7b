// SPDX-License-Identifier: Apache-2.0

package span

import "strings"

// Part is the name of what an evaluator can read of a span, as evaluators'
// definitions and setups' mappings write it. Of content that is an array of
// parts, only the texts count.
type Part string

// The parts of a span. Lists are JSON arrays.
const (
	PartOutput          Part = "output"           // what was answered: the last completion, else the output
	PartQuestion        Part = "question"         // what was asked: the last user message, else the input
	PartInstructions    Part = "instructions"     // all system messages, else the last user message
	PartContext         Part = "context"          // documents and tool answers
	PartPrompts         Part = "prompts"          // the user messages' texts, a list
	PartCompletions     Part = "completions"      // the assistant messages' texts, those among the prompts too, a list
	PartInputMessages   Part = "input_messages"   // the prompts, a list of {role, content, tool_calls}
	PartOutputMessages  Part = "output_messages"  // the completions, a list likewise
	PartMessages        Part = "messages"         // both, a list likewise
	PartToolCalls       Part = "tool_calls"       // the calls that completions ask for, a list of {name, input}
	PartToolInput       Part = "tool_input"       // the input of a tool's span
	PartToolOutput      Part = "tool_output"      // the output of a tool's span
	PartToolDefinitions Part = "tool_definitions" // the tools that a call may use, a list of {name, description, parameters}
	PartLogprobs        Part = "logprobs"         // log probabilities, JSON as it was sent
)

// AttributePart begins the names of parts that are attributes:
// "attribute:reference" is an association property of that name, else the
// attribute.
const AttributePart = "attribute:"

// Attribute returns the name of the attribute that p is, and whether it is one.
func (p Part) Attribute() (name string, ok bool) {
	name, ok = strings.CutPrefix(string(p), AttributePart)
	return name, ok && name != ""
}

// Known reports whether p is one of the parts above or an attribute.
func (p Part) Known() bool {
	switch p {
	case PartOutput, PartQuestion, PartInstructions, PartContext, PartPrompts, PartCompletions,
		PartInputMessages, PartOutputMessages, PartMessages,
		PartToolCalls, PartToolDefinitions, PartToolInput, PartToolOutput, PartLogprobs:
		return true
	}
	_, ok := p.Attribute()
	return ok
}
