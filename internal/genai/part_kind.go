// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
)

// kindKeys are the attributes by which SDKs say what a span is; package semconv
// has the pages of their conventions.
var kindKeys = [...]string{"traceloop.span.kind", "platform.span.kind", "openinference.span.kind", "gen_ai.operation.name", "langfuse.observation.type"}

// isTool reports whether the span is the run of a tool.
func isTool(s partSource) bool {
	if name, _ := s.attribute(semconv.VercelTool.Name()); name != "" {
		return true
	}
	return anyKind(s, func(kind string) bool { return kind == "tool" || kind == "execute_tool" })
}

// isOuter reports whether the span stands for the work of an agent or a
// workflow, which calls models below it. A task or a step of an agent is part
// of such work and ordinary.
func isOuter(s partSource) bool {
	switch operation, _ := s.attribute("ai.operationId"); operation {
	case "ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject":
		return true
	}
	return anyKind(s, func(kind string) bool {
		switch kind {
		case "workflow", "agent", "chain", "invoke_agent", "invoke_workflow":
			return true
		}
		return false
	})
}

// isCall reports whether the span is the call of a model that writes: not of
// one that embeds or ranks texts, which some SDKs show as prompts.
func isCall(s partSource) bool {
	if !hasMessages(s) {
		return false
	}
	kind, _ := s.attribute("llm.request.type")
	return !embeds(kind) && !anyKind(s, embeds)
}

// isSilentCall reports whether the span is the call of a model that writes,
// went well, and shows nothing of what was said.
func isSilentCall(s partSource) bool {
	switch operation, _ := s.attribute("gen_ai.operation.name"); operation {
	case "chat", "text_completion", "generate_content":
		return !s.failed() && !hasMessages(s) && s.inputText() == "" && s.outputText() == ""
	}
	return false
}

func embeds(kind string) bool {
	switch kind {
	case "embedding", "embeddings", "rerank", "reranker":
		return true
	}
	return false
}

func hasMessages(s partSource) bool { return len(s.promptList())+len(s.completionList()) > 0 }

// anyKind reports whether one of the kinds that the span names, in lower case,
// is wanted.
func anyKind(s partSource, want func(kind string) bool) bool {
	for _, key := range kindKeys {
		if kind, _ := s.attribute(key); kind != "" && want(strings.ToLower(kind)) {
			return true
		}
	}
	return false
}
