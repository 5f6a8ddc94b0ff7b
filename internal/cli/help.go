// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Help returns the help of the program, where args ask for it: the commands of this
// package, then those and the flags of the collector. It is "" for all other arguments.
// The collector's own help would list every feature gate. It makes the collector's
// command only where help is asked for.
func Help(args []string, makeCollector func() *cobra.Command) string {
	if len(args) != 1 || !slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return ""
	}
	collector := makeCollector()
	collector.InitDefaultCompletionCmd()
	var text strings.Builder
	text.WriteString("Touchstone is an OpenTelemetry Collector that evaluates LLM spans as they arrive.\n\n" +
		"Usage:\n  touchstone --config config.yaml    run a collector\n  touchstone COMMAND                 run one of these commands\n\n" +
		"Commands for a running collector and its stores:\n")
	summarize(&text, (&app{}).root().Commands())
	text.WriteString("\nCommands of the OpenTelemetry Collector:\n")
	summarize(&text, collector.Commands())
	text.WriteString("\nFlags of the collector:\n")
	for _, name := range []string{"config", "set"} {
		fmt.Fprintf(&text, "  --%-14s %s\n", name, collector.Flag(name).Usage)
	}
	text.WriteString("  --feature-gates  Gates to enable, or with - to disable, separated by commas; \"touchstone featuregate\" lists them.\n")
	text.WriteString("\nExamples:\n  touchstone --config config.yaml\n" + (&app{}).spans().Example +
		"\n\n\"touchstone help COMMAND\" describes a command with its flags and examples.\n")
	return text.String()
}

func summarize(text *strings.Builder, commands []*cobra.Command) {
	for _, c := range commands {
		fmt.Fprintf(text, "  %-16s %s\n", c.Name(), c.Short)
	}
}

// Completions returns the commands of this package that begin like the first word of
// a line, where a shell asks the collector to complete that word; otherwise "".
func Completions(args []string) string {
	if len(args) != 2 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return ""
	}
	var text strings.Builder
	for _, c := range (&app{}).root().Commands() {
		switch {
		case !strings.HasPrefix(c.Name(), args[1]):
		case args[0] == cobra.ShellCompNoDescRequestCmd:
			fmt.Fprintln(&text, c.Name())
		default:
			fmt.Fprintf(&text, "%s\t%s\n", c.Name(), c.Short)
		}
	}
	return text.String()
}
