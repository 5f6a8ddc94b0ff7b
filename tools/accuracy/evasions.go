// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
)

var _ = enter("answer-relevancy", evasions)

// evasiveAnswers are questions with answers, a JSON object in each line, and whether the
// answer says only that it does not answer. The lines are our own.
//
//go:embed texts/evasions.jsonl
var evasiveAnswers string

// evasions measures which answers are taken for refusals. Every second line is held out:
// the rules were written without it.
func evasions(b *bench) ([]figure, error) {
	return b.ownHalves("own refusals and answers", evasiveAnswers, "refusals found", "answers taken for refusals", 0.90, 0.15, func(line []byte) (verdict, error) {
		var row struct {
			Evasive          bool
			Question, Answer string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return verdict{}, err
		}
		got, err := b.output("is_relevant", map[string]string{"question": row.Question, "answer": row.Answer})
		return verdict{got: got == false, want: row.Evasive}, err
	})
}
