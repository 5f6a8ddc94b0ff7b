// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// row is one measurement beside the bar it is held to.
type row struct{ what, bar, measured string }

type table struct {
	rows       []row
	single     []string // rows of Go benchmarks
	evaluators []string // likewise, of the evaluators
}

func (t *table) add(what, bar, format string, args ...any) {
	t.rows = append(t.rows, row{what, bar, fmt.Sprintf(format, args...)})
	fmt.Fprintf(os.Stderr, "%s: %s\n", what, t.rows[len(t.rows)-1].measured)
}

func (t *table) markdown(o options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Measurements\n\nWritten by `make bench`: %d spans of about 3.4 KB, %d per request, %d senders over OTLP/gRPC, on %s, %d cores (%s), %s, commit %s.\n",
		o.spans, o.batch, o.clients, cpuModel(), runtime.NumCPU(), "shared and noisy: trust CPU time more than wall time", runtime.Version(), commit())
	b.WriteString("CPU time is that of the collector's process alone, user and system. Ingest ran with three monitors (char-count, word-count, json-validator) on every span, in the shipped config.yaml.\n\n")
	b.WriteString("| what | bar | measured |\n|---|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.what, r.bar, r.measured)
	}
	b.WriteString("\nSingle steps, by Go benchmarks:\n\n| step | per operation | allocations |\n|---|---|---|\n")
	for _, s := range t.single {
		b.WriteString(s + "\n")
	}
	b.WriteString("\nEvery evaluator on 1 KB of English text, or as much of what it takes (JSON, SQL, a page, a conversation), read off a span, by Go benchmarks. " +
		"Where a judge is needed, it is one that answers at once: the row is all but the model.\n\n| evaluator | judged | per span | allocations |\n|---|---|---|---|\n")
	for _, s := range t.evaluators {
		b.WriteString(s + "\n")
	}
	return b.String()
}

func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "an unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, " \t:"))
		}
	}
	return "an unknown processor"
}

func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
