// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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

// collector is a command line like the collector's.
func collector() *cobra.Command {
	c := &cobra.Command{Use: "touchstone"}
	c.AddCommand(&cobra.Command{Use: "validate", Short: "Validates the config", Run: func(*cobra.Command, []string) {}})
	c.Flags().String("config", "", "Locations to the config file(s)")
	c.Flags().String("set", "", "Set arbitrary component config property")
	c.Flags().String("feature-gates", "", "one.gate, another.gate")
	return c
}

func TestHelpListsEveryCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		help := Help(args, collector)
		for _, c := range (&app{}).root().Commands() {
			require.Contains(t, help, "  "+c.Name()+" ")
			require.Contains(t, help, c.Short+"\n")
		}
		require.Contains(t, help, "  validate         Validates the config\n")
		require.Contains(t, help, "  --config         Locations to the config file(s)\n")
		require.NotContains(t, help, "another.gate")
	}
	for _, args := range [][]string{nil, {"--config", "help"}, {"validate", "--help"}, {"__complete", ""}} {
		require.Empty(t, Help(args, collector))
	}
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	require.Equal(t, "setups\nspans\n", Completions([]string{"__completeNoDesc", "s"}))
	require.Equal(t, "spans\tFind spans by their fields and results\n", Completions([]string{"__complete", "sp"}))
	for _, args := range [][]string{nil, {"help"}, {"__complete", "validate", ""}, {"__complete"}} {
		require.Empty(t, Completions(args))
	}
}

var quoted = regexp.MustCompile(`'[^']*'`)

// Every command has examples, with flags that it knows.
func TestCommandsHaveExamples(t *testing.T) {
	t.Parallel()
	root := (&app{}).root()
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		require.NotEmpty(t, c.Example, c.CommandPath())
		for line := range strings.Lines(c.Example) {
			_, line, found := strings.Cut(quoted.ReplaceAllString(strings.Split(line, " > ")[0], "x"), "touchstone ")
			require.True(t, found, line)
			named, rest, err := root.Find(strings.Fields(line))
			require.NoError(t, err, line)
			require.NotSame(t, root, named, line)
			require.NoError(t, named.ParseFlags(rest), line)
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	for _, c := range root.Commands() {
		check(c)
	}
}

func TestTheAddressOfTheAPI(t *testing.T) {
	t.Parallel()
	for listens, want := range map[string]string{
		"": "http://127.0.0.1:8080", "127.0.0.1:9000": "http://127.0.0.1:9000", "0.0.0.0:8080": "http://127.0.0.1:8080", "[::]:8080": "http://127.0.0.1:8080", ":81": "http://127.0.0.1:81",
		"api.example:8080": "http://api.example:8080", "[::1]:8080": "http://[::1]:8080", "https://touchstone.example/x": "https://touchstone.example/x",
	} {
		require.Equal(t, want, addressOf(listens), listens)
	}
}

// The error for wrong arguments names the argument.
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
