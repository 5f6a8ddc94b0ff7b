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
