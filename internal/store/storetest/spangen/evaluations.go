// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Evaluations returns what three local monitors would say of s.
func (g *Generator) Evaluations(s *span.Span) []eval.Evaluation {
	text := s.Output
	if text == "" {
		text, _ = s.Completions.Get("llm.completions.0.content")
	}
	done := s.Start + s.Duration + int64(g.rand.IntN(1e9))
	e := func(slug, output string, value any) eval.Evaluation {
		return eval.Evaluation{
			SetupID: "set_1", Evaluator: slug, Status: eval.Done, Backend: eval.Deterministic,
			Generation: 1, Probability: 1, Source: eval.FromTouchstone,
			Outputs:  []eval.Output{{Name: output, Value: value}},
			Duration: 500 + int64(g.rand.IntN(20_000)), Time: done,
		}
	}
	return []eval.Evaluation{
		e("char-count", "char_count", int64(utf8.RuneCountInString(text))),
		e("json-validator", "is_valid_json", s.Output != ""),
		e("word-count", "word_count", int64(len(text)/6)),
	}
}
