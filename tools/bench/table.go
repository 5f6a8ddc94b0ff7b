// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// row is one measurement and the bar that it is held to.
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
	b.WriteString("# Measurements\n\nWritten by `make bench`: " + o.conditions() + ".\n")
	b.WriteString("CPU time is that of the collector's process alone, user and system. Ingest ran with three monitors (char-count, word-count, json-validator) on every span, in the shipped config.yaml.\n\n")
	t.writeRows(&b)
	b.WriteString("\nSingle steps, by Go benchmarks:\n\n| step | per operation | allocations |\n|---|---|---|\n")
	for _, s := range t.single {
		b.WriteString(s + "\n")
	}
	b.WriteString("\nEvery evaluator on 1 KB of English text, or as much of what it takes (JSON, SQL, a page, a conversation), read from a span, by Go benchmarks. " +
		"A judge answers at once: its row is everything but the model.\n\n| evaluator | judged | per span | allocations |\n|---|---|---|---|\n")
	for _, s := range t.evaluators {
		b.WriteString(s + "\n")
	}
	return b.String()
}

// conditions says of what and where a run was.
func (o *options) conditions() string {
	return fmt.Sprintf("%d spans of about %s, %d per request, %d senders over OTLP/gRPC, on %s, %d cores (%s; load average of all that runs %s), %s, commit %s",
		o.spans, cmp.Or(o.texts, "3.4 KB"), o.batch, o.clients, cpuModel(), runtime.NumCPU(), "shared and noisy: trust CPU time more than wall time", loadAverage(), runtime.Version(), commit())
}

// loadAverage returns how many processes wanted to run in the last fifteen minutes, on
// average.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return fields[2]
}

func (t *table) writeRows(b *strings.Builder) {
	b.WriteString("| what | bar | measured |\n|---|---|---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(b, "| %s | %s | %s |\n", r.what, r.bar, r.measured)
	}
}

// What a document has that is not of a run with DuckDB, in this order: the section of the
// other engine, that of sidecars, that of given texts, and what others measured.
const (
	clickHouseHeading = "\n## ClickHouse\n"
	sidecarHeading    = "\n## Sidecar\n"
	textsHeading      = "\n## Texts of people\n"
	otherHeading      = "\n## Other measurements\n"
)

var headings = []string{clickHouseHeading, sidecarHeading, textsHeading, otherHeading}

// besides returns what of a document a run with DuckDB leaves as it is.
func besides(document string) string { return document[placeOf(document, headings):] }

// placeOf returns where the first of some headings is, or the end of the document.
func placeOf(document string, some []string) int {
	at := len(document)
	for _, heading := range some {
		if i := strings.Index(document, heading); i >= 0 {
			at = min(at, i)
		}
	}
	return at
}

// withSection returns a document with another section under a heading.
func withSection(document, heading, section string) string {
	following := headings[slices.Index(headings, heading)+1:]
	rest := document[placeOf(document, following):]
	return document[:placeOf(document, append([]string{heading}, following...))] + heading + section + rest
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
