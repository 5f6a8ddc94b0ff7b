// SPDX-License-Identifier: Apache-2.0

package span

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	spanAttributePrefix     = "span_attributes."
	resourceAttributePrefix = "resource_attributes."
)

// parseField gives what an id addresses: a field of the span, else a promoted
// value, else a message, else a verdict, else an attribute. path names the id
// in errors.
func parseField(path, id string) (Field, error) {
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
		return Field{}, invalid(path, "must name an attribute: %s.<key>", id)
	case "workflow", "platform_workflow_name", "traceloop_workflow_name":
		return Field{Kind: FieldAlias, Name: AliasWorkflow}, nil
	case "entity", "platform_entity_name", "traceloop_entity_name":
		return Field{Kind: FieldAlias, Name: AliasEntity}, nil
	case "total_tokens", "llm_usage_total_tokens":
		return Field{Kind: FieldAlias, Name: AliasTotalTokens}, nil
	case "llm_response_model":
		return Field{Kind: FieldAlias, Name: AliasResponseModel}, nil
	}
	if key, found := strings.CutPrefix(id, resourceAttributePrefix); found && key != "" {
		return Field{Kind: FieldResourceAttribute, Name: key}, nil
	}
	if key, found := strings.CutPrefix(id, spanAttributePrefix); found && key != "" {
		return parseKey(path, key, FieldSpanAttribute)
	}
	return parseAttribute(path, id)
}

// parseAttribute gives what an attribute key addresses. Workflow and entity
// names answer to the keys of both makes of SDK.
func parseAttribute(path, key string) (Field, error) {
	switch key {
	case "traceloop.workflow.name", "platform.workflow.name":
		return Field{Kind: FieldAlias, Name: AliasWorkflow}, nil
	case "traceloop.entity.name", "platform.entity.name":
		return Field{Kind: FieldAlias, Name: AliasEntity}, nil
	case AliasVendor, AliasRequestModel, AliasResponseModel, AliasInputTokens, AliasOutputTokens, AliasTotalTokens:
		return Field{Kind: FieldAlias, Name: key}, nil
	}
	return parseKey(path, key, FieldAttribute)
}

// parseKey takes out of the attributes of a kind the keys that are stored
// apart from them: messages and verdicts.
func parseKey(path, key string, kind FieldKind) (Field, error) {
	if rest, found := strings.CutPrefix(key, tenant.EvaluationPrefix); found {
		slug, output, _ := strings.Cut(rest, ".")
		if slug == "" || output == "" {
			return Field{}, invalid(path, "must have the form evaluation.<slug>.<output>")
		}
		return Field{Kind: FieldEvaluation, Name: slug, Output: output}, nil
	}
	if name, found := messageKey(key); found {
		return Field{Kind: FieldMessage, Name: name}, nil
	}
	return Field{Kind: kind, Name: key}, nil
}

// messageKey gives the key under which prompts or completions hold an indexed
// message key of either spelling.
func messageKey(key string) (string, bool) {
	for _, spelling := range [...]struct{ sent, stored string }{
		{"llm.prompts.", "llm.prompts."},
		{"gen_ai.prompt.", "llm.prompts."},
		{"llm.completions.", "llm.completions."},
		{"gen_ai.completion.", "llm.completions."},
	} {
		rest, found := strings.CutPrefix(key, spelling.sent)
		if !found {
			continue
		}
		index, suffix, _ := strings.Cut(rest, ".")
		if index != "" && suffix != "" && strings.Trim(index, "0123456789") == "" {
			return spelling.stored + rest, true
		}
	}
	return "", false
}
