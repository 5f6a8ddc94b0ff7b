// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
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
	return b.ownHalves("own answers of tools", toolOutputs, "recall", "false alarms", 0.90, 0.03, func(line []byte) (verdict, error) {
		var row struct {
			Failed bool
			Output string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return verdict{}, err
		}
		got, err := b.output("success", map[string]string{"tool_input": "{}", "tool_output": row.Output})
		return verdict{got: got == false, want: row.Failed}, err
	})
}
