// SPDX-License-Identifier: Apache-2.0

// Package cli is the command line of a running collector: it asks the /v2 API
// for spans and setups and prints tables for people and JSON for programs. One
// command reads the data directory of a collector that does not run, and one brings
// databases to the schema of a release, or moves data to them. The collector's own subcommands are not here.
//
// See docs/adr/0020-cli-and-mcp-are-api-clients.md.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. Scripts rely on them.
const (
	ExitOK          = 0
	ExitFailed      = 1 // the collector refused, or what was asked for is not there
	ExitUsage       = 2 // the command line is wrong
	ExitUnreachable = 3 // no answer, or one that says to come back later
	ExitDiffers     = 4 // --dry-run found something to change
)

// exitError is an error with the code that the process ends with.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{ExitUsage, fmt.Errorf(format, args...)}
}

// app is one run of the command line.
type app struct {
	client client
	stores Stores
	output string // table or json
	out    io.Writer
	err    io.Writer
}

// Knows reports whether the arguments of a process name a command of this package
// rather than one of the collector's: behind flags of this package, behind help, or
// as what a shell asks to have completed.
func Knows(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "help":
		return Knows(args[1:])
	case cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return len(args) > 2 && Knows(args[1:])
	}
	root := (&app{}).root()
	command, _, err := root.Find(args)
	return err == nil && command != root
}

// Stores is what commands do without a running collector: with the stores of a configuration, and
// with models.
type Stores struct {
	Migrate          Migrate
	MigrateData      MigrateData
	RenewAccessToken RenewAccessToken
	CheckModels      CheckModels
}

// Run runs the command that args name, without the name of the process, with what
// is done with the stores of a configuration, and returns the code to exit with.
func Run(ctx context.Context, args []string, stores Stores, in io.Reader, out, err io.Writer) int {
	a := &app{stores: stores, out: out, err: err}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(err)
	failed := root.ExecuteContext(ctx)
	if failed == nil {
		return ExitOK
	}
	var exit *exitError
	if !errors.As(failed, &exit) {
		exit = &exitError{ExitUsage, failed} // cobra's own, of flags and arguments
	}
	if exit.code != ExitDiffers {
		_, _ = fmt.Fprintln(err, "touchstone:", exit.Error())
	}
	return exit.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "touchstone",
		Short:         "Ask a running collector",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if a.output != "table" && a.output != "json" {
				return usage("--output must be table or json")
			}
			return a.client.prepare()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.client.url, "url", addressOf(os.Getenv("TOUCHSTONE_API")), "address of the API; its default is TOUCHSTONE_API, which the collector reads too")
	flags.StringVar(&a.client.keyFile, "key-file", "", "file with the API key; without it TOUCHSTONE_API_KEY is the key")
	flags.StringVarP(&a.output, "output", "o", "table", "table or json")
	flags.DurationVar(&a.client.timeout, "timeout", defaultTimeout, "how long one request may take")
	root.AddCommand(a.spans(), a.trace(), a.explain(), a.setups(), a.alerts(), a.evaluate(), a.health(), a.backup(), a.verify(), a.migrate(), a.accessToken(), a.models())
	return root
}

// arguments has a command take one argument for each of names.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage("%s is missing", names[len(args)])
		case len(args) > len(names):
			return usage("%q is one argument too many: after %s there is none", line(args[len(names)], 60), names[len(names)-1])
		}
		return nil
	}
}

// addressOf returns the URL of the API whose collector listens at an address, as
// TOUCHSTONE_API has it; a URL stays as it is. A collector that listens on all interfaces
// answers on the loopback interface.
func addressOf(listens string) string {
	if strings.Contains(listens, "://") {
		return listens
	}
	host, port, err := net.SplitHostPort(listens)
	if err != nil {
		host, port = listens, "8080"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
