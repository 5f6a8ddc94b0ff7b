// SPDX-License-Identifier: Apache-2.0

package semconv

// AssociationPrefixes begin the keys of the attributes in which SDKs send what an
// application says that a span belongs to: a user, a session, whatever it calls so.
var AssociationPrefixes = []string{
	"traceloop.association.properties.", // https://www.traceloop.com/docs/openllmetry/tracing/association
	"platform.association.properties.",
	"ai.telemetry.metadata.",   // https://ai-sdk.dev/docs/ai-sdk-core/telemetry
	"langfuse.trace.metadata.", // https://langfuse.com/integrations/native/opentelemetry
	"langsmith.metadata.",      // https://docs.langchain.com/langsmith/trace-with-opentelemetry
}

// associations are attributes of a convention's own for what applications call by
// these names.
var associations = map[string][]string{
	"user":         {"user.id", "enduser.id", "langfuse.user.id"},
	"session":      {"session.id", "langfuse.session.id"},
	"conversation": {"gen_ai.conversation.id"},
}

// associationNames are the spellings of those names.
var associationNames = map[string]string{
	"user": "user", "userId": "user", "userid": "user", "user_id": "user", "user.id": "user", "userID": "user",
	"session": "session", "sessionId": "session", "session_id": "session", "session.id": "session", "sessionID": "session",
	"conversation": "conversation", "conversationId": "conversation", "conversation_id": "conversation", "conversation.id": "conversation",
	"gen_ai.conversation.id": "conversation", "thread_id": "conversation", "threadId": "conversation",
}

// AssociationKeys returns the keys of the attributes that may hold the association
// property of this name, the likeliest first.
func AssociationKeys(name string) []string {
	keys := make([]string, 0, len(AssociationPrefixes)+3)
	for _, prefix := range AssociationPrefixes {
		keys = append(keys, prefix+name)
	}
	return append(keys, associations[associationNames[name]]...)
}
