// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

func setup(id string, slug string, rules ...monitor.Rule) monitor.Setup {
	return monitor.Setup{
		ID: id, Status: monitor.Pending, Generation: 1, Selector: rules,
		Evaluators: []monitor.SetupEvaluator{{Slug: slug}},
	}
}

func ids(monitors []*monitor.Monitor) (list []string) {
	for _, m := range monitors {
		list = append(list, m.Setup.ID)
	}
	return list
}

func TestBoardPutsChainedMonitorsLast(t *testing.T) {
	t.Parallel()
	b := monitor.NewBoard(evaluators.Catalog())
	onVerdict := monitor.Rule{Key: "evaluation.char-count.char_count", Origin: monitor.SpanAttributes, Operator: monitor.Exists}
	onResource := monitor.Rule{Key: "evaluation.char-count.char_count", Origin: monitor.ResourceAttributes, Operator: monitor.Exists}
	setups := []monitor.Setup{
		setup("chained", "word-count", onVerdict), setup("first", "char-count"), setup("second", "char-count", onResource),
	}
	monitors := b.Monitors("env", setups)
	require.Equal(t, []string{"first", "second", "chained"}, ids(monitors))
	require.Equal(t, "char-count", monitors[0].Evaluators[0].Slug)
}

func TestBoardCompilesOnce(t *testing.T) {
	t.Parallel()
	b := monitor.NewBoard(evaluators.Catalog())
	require.Empty(t, b.Monitors("env", nil))
	setups := []monitor.Setup{setup("a", "char-count")}
	first := b.Monitors("env", setups)
	require.Same(t, first[0], b.Monitors("env", setups)[0])
	require.NotSame(t, first[0], b.Monitors("other", setups)[0], "another environment has monitors of its own")
	changed := []monitor.Setup{setup("a", "word-count")}
	require.Equal(t, "word-count", b.Monitors("env", changed)[0].Evaluators[0].Slug)
}

func TestUnknownEvaluatorsAreLeftOut(t *testing.T) {
	t.Parallel()
	b := monitor.NewBoard(evaluators.Catalog())
	require.Empty(t, b.Monitors("env", []monitor.Setup{setup("a", "gone-by")})[0].Evaluators)
}

func TestFirstMatchIsToldOnce(t *testing.T) {
	t.Parallel()
	b := monitor.NewBoard(evaluators.Catalog())
	open, done := setup("open", "char-count"), setup("done", "char-count")
	done.Status = monitor.Completed
	monitors := b.Monitors("env", []monitor.Setup{open, done})
	require.True(t, monitors[0].FirstMatch())
	require.False(t, monitors[0].FirstMatch())
	require.False(t, monitors[1].FirstMatch())
}
