// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// steps runs the Go benchmarks of the hot path.
func (t *table) steps(ctx context.Context) {
	for _, pkg := range []string{
		"./internal/span", "./internal/evaluators", "./processor/tenantprocessor", "./processor/monitorprocessor",
	} {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-benchtime", "300ms", pkg) //nolint:gosec // our own packages
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "benchmarks of %s: %v\n%s", pkg, err, out)
			continue
		}
		for line := range strings.Lines(string(out)) {
			if s, ok := step(strings.Fields(line)); ok {
				t.single = append(t.single, s)
			}
		}
	}
}

// step turns a line like "BenchmarkX-2 100 123 ns/op … 2 allocs/op" into a
// row.
func step(f []string) (string, bool) {
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), "-2")
	value := map[string]string{}
	for i := 2; i+1 < len(f); i += 2 {
		value[f[i+1]] = f[i]
	}
	return fmt.Sprintf("| %s | %s ns | %s |", name, value["ns/op"], value["allocs/op"]), value["ns/op"] != ""
}
