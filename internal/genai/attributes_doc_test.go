// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

var updateDocs = flag.Bool("update-docs", false, "write the table of attributes in docs/spans.md")

// fields are the names that documents give to promoted fields.
var fields = map[span.Promoted]string{
	span.PromotedVendor: span.AliasVendor, span.PromotedRequestModel: span.AliasRequestModel, span.PromotedResponseModel: span.AliasResponseModel,
	span.PromotedInputTokens: span.AliasInputTokens, span.PromotedOutputTokens: span.AliasOutputTokens, span.PromotedTotalTokens: span.AliasTotalTokens,
	span.PromotedWorkflow: span.AliasWorkflow, span.PromotedEntity: span.AliasEntity, span.PromotedInput: "input", span.PromotedOutput: "output",
	span.PromotedConversation: span.AliasConversation, span.PromotedSession: span.AliasSession, span.PromotedUser: span.AliasUser,
}

// becomes returns what an attribute is read for.
func becomes(a semconv.Attribute) string {
	var list []string
	add := func(name string, sources []semconv.Attribute) {
		if slices.Contains(sources, a) {
			list = append(list, "`"+name+"`")
		}
	}
	for p := span.PromotedVendor; p <= span.PromotedUser; p++ {
		add(fields[p], semconv.Sources(p))
	}
	add(semconv.CacheTokens.Name(), semconv.CacheTokenSources)
	add(semconv.CacheWriteTokens.Name(), semconv.CacheWriteTokenSources)
	add(semconv.ReasoningTokens.Name(), semconv.ReasoningTokenSources)
	add(semconv.PromptName.Name(), semconv.PromptNameSources)
	add(semconv.PromptVersion.Name(), semconv.PromptVersionSources)
	add(semconv.AgentVersion.Name(), semconv.AgentVersionSources)
	add(string(span.PartToolDefinitions), semconv.ToolDefinitionSources)
	add("cost", append(slices.Clone(semconv.CostSources), semconv.LangfuseCost))
	add("input_cost", append(slices.Clone(semconv.InputCostSources), semconv.LangfuseCost))
	add("span_type", semconv.KindSources)
	add("tokens", append(slices.Clone(semconv.UsageSources), semconv.LangfuseUsage))
	add("context", semconv.DocumentSources)
	add("prompts", append(slices.Clone(semconv.PromptSources), semconv.DialogueSources...))
	add("completions", append(slices.Clone(semconv.CompletionSources), semconv.DialogueSources...))
	add("itself", aliases[:])
	switch {
	case len(list) > 0:
	case a < semconv.Count:
		return "`prompts`, `completions`"
	case a.IsContent():
		return "content"
	default:
		return "no content"
	}
	return strings.Join(list, ", ")
}

// table is the table of attributes, by conventions.
func table() string {
	var b strings.Builder
	b.WriteString("| attribute | read as | convention |\n|---|---|---|\n")
	for a := range semconv.All() {
		if a.IsMapped() {
			continue // no span has it
		}
		c := a.Convention()
		name := strings.TrimSpace(c.Name + " " + c.Version)
		if c.URL != "" {
			name = "[" + name + "](" + c.URL + ")"
		}
		if c.Untested {
			name += ", untested"
		}
		b.WriteString("| `" + a.Name() + "` | " + becomes(a) + " | " + name + " |\n")
	}
	return b.String()
}

const (
	docsPath   = "../../docs/spans.md"
	tableBegin = "<!-- attributes: made by go test ./internal/genai -run Documented -update-docs -->\n"
	tableEnd   = "<!-- end of attributes -->\n"
)

// The document lists every attribute that is read, with the convention that it is of.
func TestAttributesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(docsPath)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegin)
	require.True(t, found)
	inside, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found)
	if *updateDocs {
		require.NoError(t, os.WriteFile(docsPath, []byte(before+tableBegin+table()+tableEnd+after), 0o600))
		return
	}
	require.Equal(t, table(), inside)
	for a := range semconv.All() {
		require.NotEmpty(t, a.Convention().Name, a.Name())
	}
}
