// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const measured = `
| OTLP/gRPC to durable in DuckDB, 3 monitors on every span | ≥ 8,000 spans per CPU-second | 10000 spans per CPU-second (100 µs each), 12000 spans/s of wall time |
| disk | < 1 B | 1000 B per span, verdicts included |

## ClickHouse

| OTLP/gRPC to stored in ClickHouse, 3 monitors on every span: the collector | ≥ 15,000 | 20000 spans per CPU-second (50 µs each), 9000 spans/s of wall time |
| the collector and the engine together | ≥ 6,500 | 8000 spans per CPU-second (130 µs each, of which the engine 80 µs) |
| disk | < 1,250 B | 1100 B per span, verdicts included |
`

func TestSizesAreMultipliedFromWhatWasMeasured(t *testing.T) {
	t.Parallel()
	u, err := unitsOf(measured)
	require.NoError(t, err)
	require.Equal(t, units{one: 100, oneRate: 12_000, oneBytes: 1000, collector: 50, engine: 80, bytes: 1100}, u)
	require.Equal(t, "| 1000 | 1 cores, 86 GB a day | 1 | 1 | 1 × 2 | 95 GB | 5.7 TB |\n", u.row(1000))
	require.Equal(t, "| 1000000 | no: DuckDB has one writer | 84 | 134 | 9 × 2 | 95.0 TB | 5.7 PB |\n", u.row(1_000_000))
	for _, line := range strings.Split(strings.TrimSpace(measured), "\n") {
		if line != "" {
			_, err := unitsOf(strings.Replace(measured, line, "", 1))
			require.Error(t, err, line)
		}
	}
}

// The document has what the program writes, of the measurements that there are.
func TestTheDocumentIsFresh(t *testing.T) {
	t.Parallel()
	bench, err := os.ReadFile("../../docs/bench.md")
	require.NoError(t, err)
	u, err := unitsOf(string(bench))
	require.NoError(t, err)
	document, err := os.ReadFile("../../docs/sizing.md")
	require.NoError(t, err)
	next, err := placed(string(document), u.tables())
	require.NoError(t, err)
	require.Equal(t, next, string(document), "make bin/tools/sizing && bin/tools/sizing")
	_, err = placed("no place", "")
	require.Error(t, err)
}
