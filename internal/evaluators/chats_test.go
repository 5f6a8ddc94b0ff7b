// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Ordinary chats in English, German, Spanish, Arabic and Japanese: each evaluator is right
// about them, or uncertain. The guess of an uncertain result does not count.
func TestOrdinaryChatsGetTheRightResultOrNone(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("testdata", "chats.tsv"))
	require.NoError(t, err)
	said := func(slug string, input map[string]any) eval.Result {
		e, ok := Catalog().Get(slug)
		require.True(t, ok)
		got, err := e.FromJSON(t.Context(), toJSON(t, input), json.RawMessage(nil))
		require.NoError(t, err)
		return got
	}
	passes := func(slug string, input map[string]any) {
		got := said(slug, input)
		if got.Uncertain {
			require.NotEmpty(t, got.Reason, slug)
			return
		}
		for _, o := range got.Outputs {
			pass, known := o.Passes()
			require.True(t, pass || !known, "%s %v", slug, input)
		}
	}
	tones := map[string][]string{"complaint": {"anger"}, "advice": {"neutral", "fear", "joy"}}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	require.Len(t, lines, 50)
	for _, line := range lines {
		chat := strings.Split(line, "\t")
		kind, question, answer := chat[1], chat[2], chat[3]
		for _, text := range []string{question, answer} {
			for _, slug := range []string{"toxicity-detector", "sexism-detector", "profanity-detector", "pii-detector", "secrets-detector"} {
				passes(slug, map[string]any{"text": text})
			}
			passes("prompt-injection", map[string]any{"prompt": text})
			if got := said("uncertainty-detector", map[string]any{"prompt": text}); !got.Uncertain {
				require.InDelta(t, 0, got.Outputs[1].Value, 0, text)
			}
			if got := said("tone-detection", map[string]any{"text": text}); !got.Uncertain {
				allowed, special := tones[kind]
				if !special || text == answer {
					allowed = []string{"neutral", "joy"}
				}
				require.Contains(t, allowed, got.Outputs[0].Value, text)
			}
		}
		if kind == "refusal" {
			continue
		}
		passes("answer-relevancy", map[string]any{"question": question, "answer": answer})
		passes("agent-goal-accuracy", map[string]any{"question": question, "completion": answer, "reference": ""})
		passes("faithfulness", map[string]any{"question": question, "completion": answer, "context": answer})
		passes("answer-correctness", map[string]any{"question": question, "completion": answer, "ground_truth": answer})
		turns := map[string]any{"trajectory_prompts": []string{question}, "trajectory_completions": []string{answer}}
		passes("agent-goal-completeness", turns)
		passes("agent-efficiency", turns)
	}
}
