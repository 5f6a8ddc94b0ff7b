// SPDX-License-Identifier: Apache-2.0

// Program bench measures the built binary as it ships: ingest with three local
// monitors on every span, pages and totals over what was ingested, disk,
// memory and restart; and runs the Go benchmarks of the hot steps. It prints a
// table and writes it to a file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	binary := flag.String("binary", "bin/touchstone", "the built collector")
	config := flag.String("config", "config.yaml", "its configuration")
	spans := flag.Int("spans", 2_000_000, "how many spans to ingest")
	batch := flag.Int("batch", 500, "spans per request")
	clients := flag.Int("clients", 8, "concurrent senders")
	steps := flag.Bool("steps", true, "run the Go benchmarks of single steps too")
	out := flag.String("out", "", "file to write the table to")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, options{*binary, *config, *spans, *batch, *clients, *steps, *out}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

type options struct {
	binary, config        string
	spans, batch, clients int
	steps                 bool
	out                   string
}

func run(ctx context.Context, o options) error {
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "touchstone-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory

	t := &table{}
	if o.steps {
		t.steps(ctx)
	}
	if err := measure(ctx, o, binary, dir, t); err != nil {
		return err
	}
	text := t.markdown(o)
	fmt.Print(text)
	if o.out == "" {
		return nil
	}
	return os.WriteFile(o.out, []byte(text), 0o644) //nolint:gosec // a document
}
