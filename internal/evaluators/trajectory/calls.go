// SPDX-License-Identifier: Apache-2.0

package trajectory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
)

// Bounds of a list of tool calls. They are far above what agents do and low
// enough that a hostile list costs little.
const maxToolCalls = 1000

// Call is a tool's name and what it was called with: decoded JSON with
// json.Number, an empty object when there are no parameters.
type Call struct {
	Name   string
	Params any
}

// Calls are tool calls in the order in which they were made.
type Calls []Call

var (
	errNoToolCalls = errors.New("must be a JSON array of tool calls")
	errTooMany     = fmt.Errorf("must hold at most %d tool calls", maxToolCalls)
	errTooDeep     = fmt.Errorf("must not be nested deeper than %d levels", pytext.MaxNesting)
)

// UnmarshalText reads a JSON array of calls, or the same as Python prints it.
// A call is an object in one of the forms that agent frameworks use, or only
// a name.
func (c *Calls) UnmarshalText(text []byte) error {
	value, err := jsontext.Decode(text)
	if err != nil {
		if value, err = pytext.ParseLiteral(string(text)); err != nil {
			return errNoToolCalls
		}
	}
	list, ok := value.([]any)
	if !ok {
		return errNoToolCalls
	}
	if len(list) > maxToolCalls {
		return errTooMany
	}
	if jsontext.DeeperThan(list, pytext.MaxNesting) {
		return errTooDeep
	}
	calls := make(Calls, len(list))
	for i, element := range list {
		if calls[i], ok = newToolCall(element); !ok {
			return fmt.Errorf("has no tool name in element %d", i+1)
		}
	}
	*c = calls
	return nil
}

func newToolCall(element any) (Call, bool) {
	if name, ok := element.(string); ok {
		name = strings.TrimSpace(name)
		return Call{Name: name, Params: map[string]any{}}, name != ""
	}
	object, ok := element.(map[string]any)
	if !ok {
		return Call{}, false
	}
	// OpenAI, Gemini and Bedrock put a call into another object.
	var function map[string]any
	for _, around := range []string{"function", "function_call", "functionCall", "toolUse"} {
		if inner, ok := object[around].(map[string]any); ok {
			function = inner
			break
		}
	}
	call := Call{Name: toolName(object, function), Params: toolParams(object, function)}
	return call, call.Name != ""
}

func toolName(object, function map[string]any) string {
	for _, candidate := range []any{object["name"], object["tool_name"], object["toolName"], object["tool"], function["name"]} {
		if name, ok := candidate.(string); ok {
			if name = strings.TrimSpace(name); name != "" {
				return name
			}
		}
	}
	return ""
}

func toolParams(object, function map[string]any) any {
	for _, candidate := range []any{
		object["input"], object["arguments"], object["args"], object["parameters"],
		object["input_parameters"], object["inputParameters"], object["tool_input"],
		function["arguments"], function["args"], function["input"],
	} {
		if candidate == nil {
			continue
		}
		// Many frameworks carry the arguments as the text the model wrote.
		if text, ok := candidate.(string); ok {
			if value, err := jsontext.Decode([]byte(text)); err == nil && !jsontext.DeeperThan(value, pytext.MaxNesting) {
				if params, ok := value.(map[string]any); ok {
					return params
				}
			}
		}
		return candidate
	}
	return map[string]any{}
}
