// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Many attributes repeat what a column of the span has anyway: aliases, model
// and token attributes, the whole input and output. Where the text is the same,
// the attribute is folded: only its key is kept, in the span's shape.

// Foldable returns the column that an attribute may repeat, "" for most keys.
// The column of a key that is stored already must not change: filters look for
// the attribute there.
func Foldable(key string) string { return promotedColumns[semconv.Promotes(key)] }

// promotedColumns are the columns of promoted fields.
var promotedColumns = [...]string{
	span.NotPromoted:           "",
	span.PromotedVendor:        "vendor",
	span.PromotedRequestModel:  "request_model",
	span.PromotedResponseModel: "response_model",
	span.PromotedInputTokens:   "input_tokens",
	span.PromotedOutputTokens:  "output_tokens",
	span.PromotedTotalTokens:   "total_tokens",
	span.PromotedWorkflow:      "workflow",
	span.PromotedEntity:        "entity",
	span.PromotedInput:         "input",
	span.PromotedOutput:        "output",
	span.PromotedConversation:  "conversation",
	span.PromotedSession:       "session",
	span.PromotedUser:          "user_id",
}

// source returns the text of a column that attributes are folded into, and
// whether the span has it.
func source(s *span.Span, column string) (string, bool) {
	for p, name := range promotedColumns {
		if name == column {
			return s.Promoted(span.Promoted(p))
		}
	}
	return "", false
}

// Lists is the number of lists that the values of attributes which are not folded
// are spread over.
const Lists = 4

// ListOf returns which list holds the values of a key, from 0 on: the upper half of
// the key's FNV-1a hash (https://www.rfc-editor.org/rfc/rfc9923) modulo Lists. It
// must not change from one version to the next.
func ListOf(key string) int {
	hash := uint32(2166136261)
	for i := range len(key) {
		hash = (hash ^ uint32(key[i])) * 16777619
	}
	return int(hash>>16) % Lists
}
