// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// steps runs the Go benchmarks of the hot path.
func (t *table) steps(ctx context.Context) {
	for _, pkg := range []string{
		"./internal/span", "./internal/genai", "./internal/evaluators", "./processor/tenantprocessor", "./processor/monitorprocessor",
	} {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-benchtime", "300ms", pkg) //nolint:gosec // our own packages
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "benchmarks of %s: %v\n%s", pkg, err, out)
			continue
		}
		for line := range strings.Lines(string(out)) {
			switch s, evaluator, ok := step(strings.Fields(line)); {
			case evaluator:
				t.evaluators = append(t.evaluators, s)
			case ok:
				t.single = append(t.single, s)
			}
		}
	}
}

// step turns a line like "BenchmarkX-2 100 123 ns/op … 2 allocs/op" into a
// row, and says whether it is that of an evaluator.
func step(f []string) (s string, evaluator, ok bool) {
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return "", false, false
	}
	name := processors.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
	value := map[string]string{}
	for i := 2; i+1 < len(f); i += 2 {
		value[f[i+1]] = f[i]
	}
	nanoseconds, err := strconv.ParseFloat(value["ns/op"], 64)
	if err != nil {
		return "", false, false
	}
	if rest, ok := strings.CutPrefix(name, "Evaluator/"); ok {
		slug, by, _ := strings.Cut(rest, "/")
		if by == "judge" {
			by = "needs a judge: what is around it"
		}
		return fmt.Sprintf("| %s | %s | %.1f µs | %s |", slug, by, nanoseconds/1000, value["allocs/op"]), true, true
	}
	return fmt.Sprintf("| %s | %s ns | %s |", name, value["ns/op"], value["allocs/op"]), false, true
}

// processors is what Go puts behind the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)
