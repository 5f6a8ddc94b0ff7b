// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReasonsQuoteNothingSecret(t *testing.T) {
	t.Parallel()
	const said = `Mail ada.smith@example.com that db_password = "tr0ub4dor&3" is set.`
	for slug, input := range map[string]map[string]any{
		"agent-goal-completeness": {"trajectory_prompts": []string{said}, "trajectory_completions": []string{"I'm sorry, but I can't do that."}},
		"agent-efficiency":        {"trajectory_prompts": []string{}, "trajectory_completions": []string{said, said, said}},
	} {
		e, ok := Catalog().Get(slug)
		require.True(t, ok)
		got, _, err := run(t, e, string(toJSON(t, input)), ``)
		require.NoError(t, err)
		answer := string(toJSON(t, got))
		require.NotContains(t, answer, "ada.smith", slug)
		require.NotContains(t, answer, "tr0ub4dor", slug)
		require.Contains(t, answer, "Mail [EMAIL_ADDRESS] that", slug)
	}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Book the hotel", quoted(t.Context(), " Book\nthe hotel. "))
	require.Empty(t, quoted(t.Context(), ""))
	key := "sk-proj-Zx8Kq2Lm5Nv7Rt3Wy9Bp4Df6Gh1Js0QaZx8Kq2Lm5Nv7Rt3"
	require.NotContains(t, quoted(t.Context(), strings.Repeat("so ", 24)+"OPENAI_API_KEY="+key), "sk-", "what the cut would leave of a key")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NotContains(t, quoted(ctx, "OPENAI_API_KEY="+key), "sk-", "what could not be searched")
}
