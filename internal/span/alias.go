// SPDX-License-Identifier: Apache-2.0

package span

// Aliases: names of promoted values.
const (
	AliasWorkflow      = "workflow"
	AliasEntity        = "entity"
	AliasConversation  = "conversation_id"
	AliasSession       = "session_id"
	AliasUser          = "user_id"
	AliasVendor        = "llm.vendor"
	AliasRequestModel  = "llm.request.model"
	AliasResponseModel = "llm.response.model"
	AliasInputTokens   = "llm.usage.input_tokens"
	AliasOutputTokens  = "llm.usage.output_tokens"
	AliasTotalTokens   = "llm.usage.total_tokens"
)

// Names of values that are shown among the attributes of a span, whichever SDK sent
// them, and that are attributes for everybody who reads them.
const (
	AliasPrompt        = "prompt_name"
	AliasPromptVersion = "prompt_version"
	AliasAgentVersion  = "agent_version"
)
