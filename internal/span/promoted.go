// SPDX-License-Identifier: Apache-2.0

package span

import "strconv"

// Promoted is a field of a span that is derived from its attributes and stored
// in columns of their own.
type Promoted uint8

// The promoted fields; NotPromoted is none of them.
const (
	NotPromoted Promoted = iota
	PromotedVendor
	PromotedRequestModel
	PromotedResponseModel
	PromotedInputTokens
	PromotedOutputTokens
	PromotedTotalTokens
	PromotedWorkflow
	PromotedEntity
	PromotedInput
	PromotedOutput
	PromotedConversation
	PromotedSession
	PromotedUser
)

// Promoted returns the text of a promoted field, and whether the span has it.
// Counts are decimal numbers.
func (s *Span) Promoted(p Promoted) (text string, ok bool) {
	switch p {
	case PromotedVendor:
		text = s.Vendor
	case PromotedRequestModel:
		text = s.RequestModel
	case PromotedResponseModel:
		text = s.ResponseModel
	case PromotedInputTokens:
		return countText(s.InputTokens)
	case PromotedOutputTokens:
		return countText(s.OutputTokens)
	case PromotedTotalTokens:
		return countText(s.TotalTokens)
	case PromotedWorkflow:
		text = s.Workflow
	case PromotedEntity:
		text = s.Entity
	case PromotedInput:
		text = s.Input
	case PromotedOutput:
		text = s.Output
	case PromotedConversation:
		return s.Conversation, s.Conversation != ""
	case PromotedSession:
		return s.Session, s.Session != ""
	case PromotedUser:
		return s.User, s.User != ""
	case NotPromoted:
	}
	return text, text != ""
}

func countText(n int64) (string, bool) { return strconv.FormatInt(n, 10), n != NoTokens }
