// SPDX-License-Identifier: Apache-2.0

// Package main is the distribution: what the collector's builder makes of the
// parts list, the command line, and the tests of the whole.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/touchstone-otel/touchstone/internal/cli"
)

// init runs the command that the arguments name and ends the process, before
// the generated main starts a collector: its commands are a list that nothing
// can be added to.
func init() {
	args := os.Args[1:]
	if !cli.Knows(args) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
