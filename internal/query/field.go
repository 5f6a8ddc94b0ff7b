// SPDX-License-Identifier: Apache-2.0

package query

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Field is what a filter looks at.
type Field struct {
	Kind   FieldKind
	Name   string
	Output string // FieldEvaluation only
}

// FieldKind says where a field's value lies.
type FieldKind string

const (
	// FieldColumn: a field of the span itself, Name as the API shows it
	// ("span_name", "duration", …). timestamp and duration are whole
	// milliseconds; the others are text, and exist when not "".
	// The map-valued fields prompts and completions match when any of their
	// values does.
	FieldColumn FieldKind = "column"
	// FieldAlias: a promoted value, Name one of span's Alias constants.
	FieldAlias FieldKind = "alias"
	// FieldMessage: one entry of prompts or completions, Name its full key
	// ("llm.prompts.0.content").
	FieldMessage FieldKind = "message"
	// FieldAttribute: a span attribute, or where the span has none of that
	// name, the resource attribute.
	FieldAttribute FieldKind = "attribute"
	// FieldSpanAttribute and FieldResourceAttribute look in one place only.
	FieldSpanAttribute     FieldKind = "span_attribute"
	FieldResourceAttribute FieldKind = "resource_attribute"
	// FieldEvaluation: the latest verdict of output Output of evaluator Name,
	// whichever setup made it.
	FieldEvaluation FieldKind = "evaluation"
	// FieldOutput: a field of the output itself, where outputs are asked for,
	// Name one of the Output constants.
	FieldOutput FieldKind = "output"
)

// Names of FieldOutput. Texts that are "" are absent.
const (
	OutputEvaluator = "evaluator"
	OutputName      = "output"
	OutputSetup     = "setup"
	OutputBackend   = "backend"
	// OutputText, OutputNumber and OutputBool are the value, if it is of that
	// type; others do not have the field. A number that is not finite equals none.
	OutputText   = "text"
	OutputNumber = "number"
	OutputBool   = "bool"
)

const (
	spanAttributePrefix     = "span_attributes."
	resourceAttributePrefix = "resource_attributes."
)

// ParseField returns what an id addresses: a field of the span, else a promoted
// value, else a message, else a verdict, else an attribute. Its errors are
// Invalid; the caller says which id.
func ParseField(id string) (Field, error) {
	switch id {
	case "environment", "timestamp", "trace_id", "span_id", "parent_span_id", "trace_state",
		"span_name", "span_kind", "service_name", "scope_name", "scope_version", "duration",
		"status_code", "status_message", "prompts", "completions", "input", "output":
		return Field{Kind: FieldColumn, Name: id}, nil
	case "duration_ms":
		return Field{Kind: FieldColumn, Name: "duration"}, nil
	case "service.name":
		return Field{Kind: FieldColumn, Name: "service_name"}, nil
	case "span_attributes", "resource_attributes":
		return Field{}, fault.New(fault.Invalid, "must name an attribute: %s.<key>", id)
	case "workflow", "platform_workflow_name", "traceloop_workflow_name":
		return Field{Kind: FieldAlias, Name: span.AliasWorkflow}, nil
	case "entity", "platform_entity_name", "traceloop_entity_name":
		return Field{Kind: FieldAlias, Name: span.AliasEntity}, nil
	case "total_tokens", "llm_usage_total_tokens":
		return Field{Kind: FieldAlias, Name: span.AliasTotalTokens}, nil
	case "llm_response_model":
		return Field{Kind: FieldAlias, Name: span.AliasResponseModel}, nil
	}
	if key, found := strings.CutPrefix(id, resourceAttributePrefix); found && key != "" {
		return Field{Kind: FieldResourceAttribute, Name: key}, nil
	}
	if key, found := strings.CutPrefix(id, spanAttributePrefix); found && key != "" {
		return attributeOf(key, FieldSpanAttribute)
	}
	return ParseAttribute(id)
}

// ParseAttribute returns what an attribute key addresses. Workflow and entity
// names answer to the keys of both makes of SDK. Errors are those of ParseField.
func ParseAttribute(key string) (Field, error) {
	switch key {
	case "traceloop.workflow.name", "platform.workflow.name":
		return Field{Kind: FieldAlias, Name: span.AliasWorkflow}, nil
	case "traceloop.entity.name", "platform.entity.name":
		return Field{Kind: FieldAlias, Name: span.AliasEntity}, nil
	case span.AliasVendor, span.AliasRequestModel, span.AliasResponseModel,
		span.AliasInputTokens, span.AliasOutputTokens, span.AliasTotalTokens:
		return Field{Kind: FieldAlias, Name: key}, nil
	}
	return attributeOf(key, FieldAttribute)
}

// attributeOf takes out of the attributes of a kind the keys that are stored
// apart from them: messages and verdicts.
func attributeOf(key string, kind FieldKind) (Field, error) {
	if rest, found := strings.CutPrefix(key, tenant.EvaluationPrefix); found {
		return ParseVerdict(rest)
	}
	if name, found := span.MessageKey(key); found {
		return Field{Kind: FieldMessage, Name: name}, nil
	}
	return Field{Kind: kind, Name: key}, nil
}

// ParseVerdict returns the field of an evaluator's output, given as
// <slug>.<output>. Errors are those of ParseField.
func ParseVerdict(name string) (Field, error) {
	slug, output, _ := strings.Cut(name, ".")
	if slug == "" || output == "" {
		return Field{}, fault.New(fault.Invalid, "must have the form evaluation.<slug>.<output>")
	}
	return Field{Kind: FieldEvaluation, Name: slug, Output: output}, nil
}
