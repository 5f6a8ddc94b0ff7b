// SPDX-License-Identifier: Apache-2.0

// Package main is the distribution: what the collector's builder makes of the
// parts list, the command line, and the tests of the whole.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/otelcol"

	"github.com/touchstone-otel/touchstone/extension/modelsextension"
	"github.com/touchstone-otel/touchstone/extension/storeextension"
	"github.com/touchstone-otel/touchstone/internal/cli"
	"github.com/touchstone-otel/touchstone/internal/store/move"
)

// init runs the command that the arguments name, or prints the help, and ends the
// process, before the generated main starts a collector: its commands are a list
// that nothing can be added to. What it completes in a shell begins with ours.
func init() {
	args := os.Args[1:]
	collector := func() *cobra.Command { return otelcol.NewCommand(otelcol.CollectorSettings{}) }
	if help := cli.Help(args, collector); help != "" {
		_, _ = os.Stdout.WriteString(help)
		os.Exit(0)
	}
	if !cli.Knows(args) {
		_, _ = os.Stdout.WriteString(cli.Completions(args))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, args, cli.Stores{
		Migrate: migrate, MigrateData: migrateData, RenewAccessToken: storeextension.RenewAccessToken, CheckModels: checkModels,
	}, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// migrate brings the stores of a configuration to the schema of this release.
func migrate(ctx context.Context, locations []string) ([]cli.Migrated, error) {
	done, err := storeextension.Migrate(ctx, locations)
	told := make([]cli.Migrated, len(done))
	for i, m := range done {
		told[i] = cli.Migrated(m)
	}
	return told, err
}

// checkModels evaluates examples with the models of a directory.
func checkModels(ctx context.Context, dir string) ([]cli.CheckedModel, error) {
	checked, err := modelsextension.Check(ctx, dir)
	told := make([]cli.CheckedModel, len(checked))
	for i, c := range checked {
		told[i] = cli.CheckedModel(c)
	}
	return told, err
}

// migrateData moves the data of a configuration.
func migrateData(ctx context.Context, d cli.DataMove) (*move.Result, error) {
	return storeextension.MigrateData(ctx, storeextension.DataMove(d))
}
