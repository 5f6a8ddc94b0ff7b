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

// associations are attributes of a convention's own for what spans have in these fields.
var associations = map[string][]string{
	"user_id":         {"user.id", "enduser.id", "langfuse.user.id"},
	"session_id":      {"session.id", "langfuse.session.id"},
	"conversation_id": {"gen_ai.conversation.id"},
}

// associationNames are the names by which applications call those fields.
var associationNames = map[string]string{
	"user": "user_id", "userId": "user_id", "userid": "user_id", "user_id": "user_id", "user.id": "user_id", "userID": "user_id",
	"session": "session_id", "sessionId": "session_id", "session_id": "session_id", "session.id": "session_id", "sessionID": "session_id",
	"conversation": "conversation_id", "conversationId": "conversation_id", "conversation_id": "conversation_id", "conversation.id": "conversation_id",
	"gen_ai.conversation.id": "conversation_id", "thread_id": "conversation_id", "threadId": "conversation_id",
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

// AssociationField returns the field of spans that holds the association property of this
// name, whichever attribute was read as it; "" for other names.
func AssociationField(name string) string { return associationNames[name] }
