// SPDX-License-Identifier: Apache-2.0

package semconv

// Convention is whose name an attribute is.
type Convention struct {
	// Name of the convention, and the versions of it, or of the SDKs that follow it,
	// whose spans were read.
	Name, Version string
	// URL is where it is written down, "" for names of the API.
	URL string
	// Untested says that no span of the SDK is among the tests.
	Untested bool
}

// conventions are those of the attributes from the first on, in the order of these.
var conventions = []struct {
	first Attribute
	Convention
}{
	{Vendor, Convention{Name: "the API's own", Version: "", URL: ""}},
	{GenAIProvider, Convention{Name: "OpenTelemetry", Version: "1.41", URL: "https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-spans.md"}},
	{GenAISystem, Convention{Name: "OpenTelemetry, given up or in its manner", Version: "1.27 to 1.36", URL: "https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/"}},
	{TraceloopKind, Convention{Name: "OpenLLMetry", Version: "Python 0.15 to 0.55, JavaScript 0.5 to 0.27", URL: "https://traceloop.com/docs/openllmetry/contributing/semantic-conventions"}},
	{PlatformKind, Convention{Name: "OpenLLMetry under another prefix", Version: "", URL: ""}},
	{OpenInferenceKind, Convention{Name: "OpenInference", Version: "4", URL: "https://arize-ai.github.io/openinference/spec/attributes/semantic-conventions.html"}},
	{VercelOperation, Convention{Name: "Vercel AI SDK", Version: "4 to 7", URL: "https://ai-sdk.dev/docs/ai-sdk-core/telemetry"}},
	{LangfuseModel, Convention{Name: "Langfuse", Version: "5", URL: "https://langfuse.com/integrations/native/opentelemetry"}},
	{LangSmithKind, Convention{Name: "LangSmith", Version: "", URL: "https://docs.langchain.com/langsmith/trace-with-opentelemetry"}},
	{Session, Convention{Name: "OpenTelemetry, general", Version: "1.41", URL: "https://opentelemetry.io/docs/specs/semconv/registry/attributes/"}},
	{MCPSession, Convention{Name: "OpenTelemetry, MCP", Version: "1.41", URL: "https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/"}},
	{LogfireCost, Convention{Name: "Logfire", Version: "", URL: "https://logfire.pydantic.dev/docs/guides/web-ui/live/#llm-panels"}},
	{firstMapped, Convention{Name: "mappings of an environment"}},
}

// Convention returns whose name the attribute is.
func (a Attribute) Convention() (c Convention) {
	if a >= Count {
		return table.rows[a-Count].sdk.Convention
	}
	for _, x := range conventions {
		if x.first <= a {
			c = x.Convention
		}
	}
	return c
}
