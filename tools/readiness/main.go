// SPDX-License-Identifier: Apache-2.0

// Program readiness simulates traces that arrive out of order, late and in part, and
// compares when package ready and plain timers would judge them.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	seed := flag.Uint64("seed", 1, "the seed of the traces")
	n := flag.Int("traces", 10_000, "how many traces")
	flag.Parse()
	if _, err := fmt.Fprint(os.Stdout, table(compare(*seed, *n))); err != nil {
		os.Exit(1)
	}
}
