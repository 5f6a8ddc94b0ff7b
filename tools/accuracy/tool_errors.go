// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

var _ = enter("agent-tool-error-detector", toolErrors)

// toolOutputs is what tools answered, a JSON object in each line, and whether the call
// failed. The lines are our own.
//
//go:embed texts/tool_outputs.jsonl
var toolOutputs string

// toolErrors measures which answers of tools are taken for failures. Every second line is
// held out: the rules were written without it.
func toolErrors(b *bench) ([]figure, error) {
	var found, failed, alarms, sound [2]float64
	n := 0
	for line := range strings.Lines(toolOutputs) {
		var row struct {
			Failed bool
			Output string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, err
		}
		got, err := b.asks(map[string]string{"tool_input": "{}", "tool_output": row.Output}, "success", nil)
		if err != nil {
			return nil, err
		}
		half, hit := n%2, 0.0
		n++
		if got == false {
			hit = 1
		}
		if row.Failed {
			failed[half]++
			found[half] += hit
		} else {
			sound[half]++
			alarms[half] += hit
		}
	}
	const own, heldOut = "own answers of tools", "own answers of tools, held out"
	return []figure{
		proportion(own, "recall", found[0], failed[0]),
		proportion(own, "false alarms", alarms[0], sound[0]),
		proportion(heldOut, "recall", found[1], failed[1]).from(0.90),
		proportion(heldOut, "false alarms", alarms[1], sound[1]).upTo(0.03),
	}, nil
}
