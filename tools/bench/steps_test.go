// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRowsOfBenchmarks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"BenchmarkFromOTLP/flat-2  100  14259 ns/op  560 B/op  20 allocs/op":                  "| FromOTLP/flat | 14259 ns | 20 |",
		"BenchmarkEvaluator/char-count/deterministic-16 9 920.5 ns/op 5 B/op 5 allocs/op":     "| char-count | deterministic | 0.9 µs | 5 |",
		"BenchmarkEvaluator/action-advancement/judge-2 25040 25040 ns/op 5 B/op 95 allocs/op": "| action-advancement | needs a judge: what is around it | 25.0 µs | 95 |",
		"ok github.com/touchstone-otel/touchstone 1s":                                         "",
		"BenchmarkX-2 100 no ns/op": "",
		"":                          "",
	} {
		got, evaluator, ok := step(strings.Fields(line))
		require.Equal(t, want, got)
		require.Equal(t, want != "", ok)
		require.Equal(t, strings.Contains(line, "Evaluator/"), evaluator)
	}
	table := &table{single: []string{"| s |"}, evaluators: []string{"| e |"}}
	text := table.markdown(options{})
	require.Less(t, strings.Index(text, "| s |"), strings.Index(text, "| e |"))
	require.Empty(t, besides(text))
	require.Equal(t, otherHeading+"\nby hand\n", besides(text+otherHeading+"\nby hand\n"))
}

func TestARunLeavesTheSectionsOfOthers(t *testing.T) {
	t.Parallel()
	const text = "# Measurements\n"
	others := otherHeading + "\nby hand\n"
	first := withSection(text+others, clickHouseHeading, "\nfirst\n")
	require.Equal(t, text+clickHouseHeading+"\nfirst\n"+others, first)
	require.Equal(t, text+clickHouseHeading+"\nsecond\n"+others, withSection(first, clickHouseHeading, "\nsecond\n"))
	require.Equal(t, text+clickHouseHeading+"\nalone\n", withSection(text, clickHouseHeading, "\nalone\n"))
	require.Equal(t, clickHouseHeading+"\nfirst\n"+others, besides(first))
	both := withSection(first, sidecarHeading, "\nbeside\n")
	require.Equal(t, text+clickHouseHeading+"\nfirst\n"+sidecarHeading+"\nbeside\n"+others, both)
	require.Equal(t, text+clickHouseHeading+"\nsecond\n"+sidecarHeading+"\nbeside\n"+others, withSection(both, clickHouseHeading, "\nsecond\n"))
	require.Equal(t, text+sidecarHeading+"\nbeside\n"+others, withSection(text+others, sidecarHeading, "\nbeside\n"))
}
