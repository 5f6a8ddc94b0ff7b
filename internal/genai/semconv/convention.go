// SPDX-License-Identifier: Apache-2.0

package semconv

// Convention is whose name an attribute is.
type Convention struct {
	// Name of the convention, and the versions of it, or of the SDKs that follow it,
	// whose spans were read.
	Name, Version string
	// URL is where it is written down, "" for names of the API.
	URL string
}

// conventions are those of the attributes from the first on, in the order of these.
var conventions = []struct {
	first Attribute
	Convention
}{
	{Vendor, Convention{"the API's own", "", ""}},
	{GenAIProvider, Convention{"OpenTelemetry", "1.41", "https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-spans.md"}},
	{GenAISystem, Convention{"OpenTelemetry, given up or in its manner", "1.27 to 1.36", "https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/"}},
	{TraceloopKind, Convention{"OpenLLMetry", "Python 0.15 to 0.55, JavaScript 0.5 to 0.27", "https://traceloop.com/docs/openllmetry/contributing/semantic-conventions"}},
	{PlatformKind, Convention{"OpenLLMetry under another prefix", "", ""}},
	{OpenInferenceKind, Convention{"OpenInference", "4", "https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html"}},
	{VercelOperation, Convention{"Vercel AI SDK", "4 to 7", "https://ai-sdk.dev/docs/ai-sdk-core/telemetry"}},
	{LangfuseModel, Convention{"Langfuse", "5", "https://langfuse.com/integrations/native/opentelemetry"}},
	{LangSmithKind, Convention{"LangSmith", "", "https://docs.langchain.com/langsmith/trace-with-opentelemetry"}},
	{Session, Convention{"OpenTelemetry, general", "1.41", "https://opentelemetry.io/docs/specs/semconv/registry/attributes/"}},
	{MCPSession, Convention{"OpenTelemetry, MCP", "1.41", "https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/"}},
	{LogfireCost, Convention{"Logfire", "", "https://logfire.pydantic.dev/docs/guides/web-ui/live/#llm-panels"}},
}

// Convention returns whose name the attribute is.
func (a Attribute) Convention() (c Convention) {
	for _, x := range conventions {
		if x.first <= a {
			c = x.Convention
		}
	}
	return c
}
