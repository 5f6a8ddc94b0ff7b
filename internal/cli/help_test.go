// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKnowsWhoseCommandItIs(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"spans": true, "spans --since 1h": true, "setups apply x.yaml": true, "-o json spans": true, "--url http://x.example spans": true, "--key-file=x spans": true,
		"help spans": true, "help setups apply": true, "__complete spans --s": true, "__completeNoDesc setups a": true,
		"": false, "help": false, "--help": false, "-h": false, "help validate": false, "validate --config spans": false, "--config spans": false,
		"--config a.yaml --config trace": false, "--set a=b --config=x": false, "components": false, "span": false, "__complete s": false, "__complete": false,
		"completion bash": false, "--version": false,
	} {
		require.Equal(t, want, Knows(strings.Fields(line)), line)
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		help := Preface(args)
		for _, c := range (&app{}).root().Commands() {
			require.Contains(t, help, "  "+c.Name()+" ")
			require.Contains(t, help, c.Short+"\n")
		}
	}
	require.Equal(t, "setups\nspans\n", Preface([]string{"__completeNoDesc", "s"}))
	require.Equal(t, "spans\tFind spans by anything, verdicts included\n", Preface([]string{"__complete", "sp"}))
	for _, args := range [][]string{nil, {"--config", "help"}, {"validate", "--help"}, {"__complete", "validate", ""}, {"__complete"}} {
		require.Empty(t, Preface(args))
	}
}

// Who calls a command with the wrong arguments is told which one it is about.
func TestArgumentsThatAreWrong(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"trace":              "TRACE_ID is missing",
		"trace a b":          `"b" is one argument too many: after TRACE_ID there is none`,
		"explain a":          "SPAN_ID is missing",
		"explain":            "TRACE_ID is missing",
		"explain a b c":      `"c" is one argument too many: after SPAN_ID there is none`,
		"evaluate -i text=a": "EVALUATOR is missing",
		"verify":             "DIRECTORY is missing",
		"setups apply":       "FILE is missing",
	} {
		var out, told bytes.Buffer
		require.Equal(t, ExitUsage, Run(t.Context(), strings.Fields(command), Stores{}, nil, &out, &told), command)
		require.Equal(t, "touchstone: "+want+"\n", told.String(), command)
		require.Empty(t, out.String())
	}
}
