// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// spanType returns what the span is. It looks at the attributes once.
func (f *sourceValues) spanType() string {
	if f.kind == "" {
		f.kind = f.findType()
	}
	return f.kind
}

// findType returns what the SDK says that the span is or, where that says nothing, what
// its attributes are about.
func (f *sourceValues) findType() string {
	for _, k := range semconv.KindSources {
		if text := f.text(k); text != "" {
			if known := k.TypeOf(text); known != "" {
				return known
			}
		}
	}
	for i := range f.more {
		if known := f.more[i].attribute.Marks(); known != "" && f.text(f.more[i].attribute) != "" {
			return known
		}
	}
	switch {
	case f.has[semconv.MappedTool]:
		return span.TypeTool
	case f.has[semconv.GenAIGuardrailInput], f.has[semconv.GenAIGuardrailOutput]:
		return span.TypeGuardrail
	case f.hint != "":
		return f.hint
	case f.has[semconv.GenAITool], f.has[semconv.OpenInferenceTool], f.has[semconv.VercelTool]:
		return span.TypeTool
	case f.texts[semconv.OpenInferenceEmbeddingModel] != "":
		return span.TypeEmbedding
	case f.alias(semconv.Vendor) != "", f.alias(semconv.RequestModel) != "":
		return span.TypeLLM
	case f.has[semconv.GenAIAgent]:
		return span.TypeAgent
	}
	return span.TypeOther
}

// isTool reports whether the span is the run of a tool.
func isTool(s partSource) bool { return s.spanType() == span.TypeTool }

// isOuter reports whether the span stands for the work of an agent or a workflow, which
// calls models below it.
func isOuter(s partSource) bool {
	t := s.spanType()
	return t == span.TypeAgent || t == span.TypeWorkflow
}

// isCall reports whether the span is the call of a model that writes: not of
// one that embeds or ranks texts, which some SDKs show as prompts, nor the run of a tool.
func isCall(s partSource) bool {
	if !hasMessages(s) {
		return false
	}
	switch s.spanType() {
	case span.TypeEmbedding, span.TypeRetrieval, span.TypeTool:
		return false
	}
	return true
}

// isSilentCall reports whether the span is the call of a model that writes,
// went well, and shows nothing of what was said.
func isSilentCall(s partSource) bool {
	return s.spanType() == span.TypeLLM && !s.failed() && isSilent(s)
}

// isSilent reports whether the span shows nothing of what was said.
func isSilent(s partSource) bool {
	return !hasMessages(s) && s.inputText() == "" && s.outputText() == ""
}

func hasMessages(s partSource) bool { return len(s.promptList())+len(s.completionList()) > 0 }
