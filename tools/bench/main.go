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
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The engines.
const duckDB, clickHouse = "duckdb", "clickhouse"

func main() {
	clickhousetest.Serve() // where this process is the engine
	binary := flag.String("binary", "bin/touchstone", "the built collector")
	config := flag.String("config", "config.yaml", "its configuration")
	engine := flag.String("engine", duckDB, "where spans are: duckdb, or clickhouse for an engine in a process of its own")
	spans := flag.Int("spans", 2_000_000, "how many spans to ingest")
	batch := flag.Int("batch", 500, "spans per request")
	clients := flag.Int("clients", 8, "concurrent senders")
	minutes := flag.Int("minutes", 0, "how long to send a steady load, to see whether memory grows; 0 is not at all")
	steps := flag.Bool("steps", true, "run the Go benchmarks of single steps too")
	slim := flag.String("sidecar", "", "the slim build: measure it as a sidecar, and nothing else")
	texts := flag.String("texts", "", "directory of the data sets: measure calls with the texts of HaluEval, and nothing else")
	out := flag.String("out", "", "file to write the table to")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := options{binary: *binary, config: *config, spans: *spans, batch: *batch, clients: *clients, minutes: *minutes, steps: *steps, out: *out, engine: *engine, slim: *slim, texts: *texts}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

type options struct {
	binary, config        string
	spans, batch, clients int
	minutes               int // of a steady load
	steps                 bool
	out, engine, slim     string
	texts                 string // directory of texts, then the size of the spans they make; "" is those of about 3.4 KB

	every time.Duration // from one request to the next, 0 for as fast as they are taken
	late  time.Duration // how long before they are sent spans may end
	ahead time.Duration // how far the clock of one of the senders is ahead
	back  time.Duration // how long before they are sent the first spans ended, and none the last
	// environment is whose all spans are, "" for several.
	environment tenant.EnvironmentID
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
	if o.slim != "" {
		return benchSidecar(ctx, o, binary, dir, t)
	}
	if o.texts != "" {
		return benchTexts(ctx, o, binary, dir, t)
	}
	if o.engine == clickHouse {
		return benchClickHouse(ctx, o, binary, dir, t)
	}
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
	if before, err := os.ReadFile(o.out); err == nil {
		text += besides(string(before))
	}
	return os.WriteFile(o.out, []byte(text), 0o644) //nolint:gosec // a document
}

// writeSection prints a section and puts it into the document, if there is one.
func (o *options) writeSection(heading, section string) error {
	fmt.Print(section)
	if o.out == "" {
		return nil
	}
	before, err := os.ReadFile(o.out)
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, []byte(withSection(string(before), heading, section)), 0o644) //nolint:gosec // a document
}
