// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

var _ = enter("instruction-adherence", adherence)

// instructedAnswers are instructions with answers, a JSON object in each line, and whether
// the answer follows all that is asked. The lines are our own.
//
//go:embed texts/instructions.jsonl
var instructedAnswers string

// adherence measures how often everything is called followed that is not, and how often
// it is where it is. That a judge is needed is neither.
func adherence(b *bench) ([]figure, error) {
	var wrong, broken, right, followed float64
	for line := range strings.Lines(instructedAnswers) {
		var row struct {
			Instructions, Response string
			Followed               bool
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, err
		}
		got, err := b.output("instruction_adherence_score", map[string]string{"instructions": row.Instructions, "response": row.Response})
		if err != nil && !fault.Is(err, fault.NotConfigured) {
			return nil, err
		}
		whole := 0.0
		if err == nil && got == 1. {
			whole = 1
		}
		if row.Followed {
			followed++
			right += whole
		} else {
			broken++
			wrong += whole
		}
	}
	const set = "own instructions and answers"
	return []figure{
		proportion(set, "called followed and is not", wrong, broken).upTo(0.05),
		proportion(set, "called followed and is", right, followed).from(0.8),
	}, nil
}
