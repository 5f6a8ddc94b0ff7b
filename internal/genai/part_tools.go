// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
)

// Prefixes of tools of which each is attributes of its own, and an index between.
const (
	// functionsPrefix is OpenLLMetry's: .name, .description and .parameters follow.
	// https://traceloop.com/docs/openllmetry/contributing/semantic-conventions
	functionsPrefix = "llm.request.functions."
	// toolsPrefix is OpenInference's: toolSchema follows, JSON.
	// https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html
	toolsPrefix = "llm.tools."
	toolSchema  = "tool.json_schema"
)

// toolDefinition is a tool that a call may use; parameters is the JSON schema of
// its arguments, "" where it is missing.
type toolDefinition struct{ index, name, description, parameters string }

// toolDefinitions returns the tools that a call may use as a JSON array of {name,
// description, parameters}, "" where there are none. The first source that has some
// counts.
func toolDefinitions(s partSource) string {
	list := listedTools(s)
	if len(list) == 0 {
		list = indexedTools(s)
	}
	var b []byte
	for _, d := range list {
		b = append(b, "[,"[min(len(b), 1)])
		b = appendMember(b, `{"name":`, d.name)
		if d.description != "" {
			b = appendMember(b, `,"description":`, d.description)
		}
		if d.parameters != "" {
			b = appendArguments(append(b, `,"parameters":`...), d.parameters)
		}
		b = append(b, '}')
	}
	return closed(b)
}

// listedTools returns those of one attribute that lists them.
func listedTools(s partSource) (list []toolDefinition) {
	for _, k := range semconv.ToolDefinitionSources {
		text, _ := s.attribute(k.Name())
		if text == "" {
			continue
		}
		for _, v := range valuetext.Elements(text) {
			raw := v.Raw
			if v.Kind == '"' { // the AI SDK writes each tool as JSON in a text
				raw = v.Text()
			}
			if d := toolOf(raw); d.name != "" {
				list = append(list, d)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// indexedTools returns those that are attributes of their own.
func indexedTools(s partSource) (list []toolDefinition) {
	places := map[string]int{}
	at := func(index string) *toolDefinition {
		i, known := places[index]
		if !known {
			i = len(list)
			places[index] = i
			list = append(list, toolDefinition{index: index})
		}
		return &list[i]
	}
	s.each(functionsPrefix, func(key, text string) {
		index, suffix := splitIndex(key[len(functionsPrefix):])
		if index == "" {
			return
		}
		switch suffix {
		case "name":
			at(index).name = text
		case "description":
			at(index).description = text
		case "parameters":
			at(index).parameters = text
		}
	})
	if len(list) == 0 {
		s.each(toolsPrefix, func(key, text string) {
			if index, suffix := splitIndex(key[len(toolsPrefix):]); index != "" && suffix == toolSchema {
				d := toolOf(text)
				d.index = index
				*at(index) = d
			}
		})
	}
	slices.SortStableFunc(list, func(a, b toolDefinition) int { return compareIndex(a.index, b.index) })
	return slices.DeleteFunc(list, func(d toolDefinition) bool { return d.name == "" })
}

// toolOf reads one tool as providers' APIs and SDKs write it: {name, description,
// parameters}, perhaps within {"type": "function", "function": {…}}, and the schema
// under another name.
func toolOf(text string) toolDefinition {
	found, _ := valuetext.Members(text, "function")
	if found[0].Kind == '{' {
		text = found[0].Raw
	}
	found, _ = valuetext.Members(text, "name", "description", "parameters", "input_schema", "inputSchema")
	d := toolDefinition{name: found[0].Text(), description: found[1].Text()}
	for _, schema := range found[2:] {
		if schema.Present() {
			d.parameters = schema.AsText()
			break
		}
	}
	return d
}
