// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"strings"
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
	var found, evasive, alarms, answers [2]float64
	n := 0
	for line := range strings.Lines(evasiveAnswers) {
		var row struct {
			Evasive          bool
			Question, Answer string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, err
		}
		got, err := b.output("is_relevant", map[string]string{"question": row.Question, "answer": row.Answer})
		if err != nil {
			return nil, err
		}
		half, hit := n%2, 0.0
		n++
		if got == false {
			hit = 1
		}
		if row.Evasive {
			evasive[half]++
			found[half] += hit
		} else {
			answers[half]++
			alarms[half] += hit
		}
	}
	const own, heldOut = "own refusals and answers", "own refusals and answers, held out"
	return []figure{
		proportion(own, "refusals found", found[0], evasive[0]),
		proportion(own, "answers taken for refusals", alarms[0], answers[0]),
		proportion(heldOut, "refusals found", found[1], evasive[1]).from(0.90),
		proportion(heldOut, "answers taken for refusals", alarms[1], answers[1]).upTo(0.15),
	}, nil
}
