// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Preface returns what is printed before the collector's own help, and before the
// commands with which it completes the first word of a line: the commands of this
// package. It is "" for all other arguments of a process.
func Preface(args []string) string {
	root := (&app{}).root()
	var text strings.Builder
	switch {
	case len(args) == 1 && slices.Contains([]string{"help", "--help", "-h"}, args[0]):
		text.WriteString("Commands that ask a running collector, or look after its stores:\n")
		for _, c := range root.Commands() {
			fmt.Fprintf(&text, "  %-12s %s\n", c.Name(), c.Short)
		}
		text.WriteString("\nWithout one of these it is a collector:\n  touchstone --config config.yaml\n\n")
	case len(args) == 2 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd):
		for _, c := range root.Commands() {
			switch {
			case !strings.HasPrefix(c.Name(), args[1]):
			case args[0] == cobra.ShellCompNoDescRequestCmd:
				fmt.Fprintln(&text, c.Name())
			default:
				fmt.Fprintf(&text, "%s\t%s\n", c.Name(), c.Short)
			}
		}
	}
	return text.String()
}
