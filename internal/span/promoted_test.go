// SPDX-License-Identifier: Apache-2.0

package span_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestPromotedFields(t *testing.T) {
	t.Parallel()
	full := span.Span{
		Vendor: "v", RequestModel: "m", ResponseModel: "r", InputTokens: 0, OutputTokens: 2, TotalTokens: 3,
		Workflow: "w", Entity: "e", Input: "i", Output: "o",
	}
	none := span.Span{InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens}
	for p, want := range map[span.Promoted]string{
		span.PromotedVendor: "v", span.PromotedRequestModel: "m", span.PromotedResponseModel: "r",
		span.PromotedInputTokens: "0", span.PromotedOutputTokens: "2", span.PromotedTotalTokens: "3",
		span.PromotedWorkflow: "w", span.PromotedEntity: "e", span.PromotedInput: "i", span.PromotedOutput: "o",
	} {
		text, ok := full.Promoted(p)
		require.True(t, ok, p)
		require.Equal(t, want, text, p)
		_, ok = none.Promoted(p)
		require.False(t, ok, p)
	}
	_, ok := full.Promoted(span.NotPromoted)
	require.False(t, ok)
}
