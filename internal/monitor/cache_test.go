// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

func setup(id string, slug string, rules ...monitor.Rule) monitor.Setup {
	return monitor.Setup{
		ID: id, Status: monitor.Pending, Generation: 1, Selector: rules,
		Evaluators: []monitor.SetupEvaluator{{Slug: slug}},
	}
}

// prebuilt finds evaluators of the catalog.
func prebuilt(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	if e, ok := evaluators.Catalog().Get(w.Slug); ok {
		return e, nil
	}
	return nil, fault.New(fault.Invalid, "evaluator %s is not known", w.Slug)
}

func always(*eval.Evaluator) bool { return true }

func ids(monitors []*monitor.Monitor) (list []string) {
	for _, m := range monitors {
		list = append(list, m.Setup.ID)
	}
	return list
}

func TestBoardPutsChainedMonitorsLast(t *testing.T) {
	t.Parallel()
	b := monitor.NewCache(prebuilt, always)
	onVerdict := monitor.Rule{Key: "evaluation.char-count.char_count", Source: monitor.SpanAttributes, Operator: query.OpExists}
	onResource := monitor.Rule{Key: "evaluation.char-count.char_count", Source: monitor.ResourceAttributes, Operator: query.OpExists}
	setups := []monitor.Setup{
		setup("chained", "word-count", onVerdict), setup("first", "char-count"), setup("second", "char-count", onResource),
	}
	monitors := b.Monitors("env", setups).List
	require.Equal(t, []string{"first", "second", "chained"}, ids(monitors))
	require.Equal(t, "char-count", monitors[0].Bindings[0].Evaluator.Slug)
}

func TestBoardCompilesOnce(t *testing.T) {
	t.Parallel()
	b := monitor.NewCache(prebuilt, always)
	require.Empty(t, b.Monitors("env", nil).List)
	setups := []monitor.Setup{setup("a", "char-count")}
	first := b.Monitors("env", setups).List
	require.Same(t, first[0], b.Monitors("env", setups).List[0])
	require.NotSame(t, first[0], b.Monitors("other", setups).List[0], "another environment has monitors of its own")
	changed := []monitor.Setup{setup("a", "word-count")}
	changed[0].Revision++
	require.Equal(t, "word-count", b.Monitors("env", changed).List[0].Bindings[0].Evaluator.Slug)
}

func TestUnknownEvaluatorsSaySo(t *testing.T) {
	t.Parallel()
	b := monitor.NewCache(prebuilt, always)
	run := b.Monitors("env", []monitor.Setup{setup("a", "gone-by")}).List[0].Binding("gone-by")
	require.ErrorContains(t, run.Err, "gone-by")
	require.Nil(t, run.Evaluator)
}

// What is not loaded says so until it is.
func TestBoardCompilesAnewWhatWasLoading(t *testing.T) {
	t.Parallel()
	var ready atomic.Bool
	b := monitor.NewCache(prebuilt, func(*eval.Evaluator) bool { return ready.Load() })
	setups := []monitor.Setup{setup("a", "char-count"), setup("b", "action-advancement")}
	before := b.Monitors("env", setups).List
	require.ErrorIs(t, before[0].Bindings[0].Err, monitor.ErrLoading)
	require.NotErrorIs(t, before[1].Bindings[0].Err, monitor.ErrLoading, "models have nothing to load here")
	ready.Store(true)
	require.Same(t, before[0], b.Monitors("env", setups).List[0], "it was not announced as loaded")
	b.Loaded()
	require.NoError(t, b.Monitors("env", setups).List[0].Bindings[0].Err)
}

// Of a thousand setups the one that changed is compiled, and the others stay.
func TestChangedSetupCompilesAlone(t *testing.T) {
	t.Parallel()
	var compiled []string
	c := monitor.NewCache(func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		compiled = append(compiled, w.Slug)
		return prebuilt(w)
	}, always)
	setups := thousand()
	first := c.Monitors("env", setups).List
	require.Len(t, compiled, 3*len(setups))

	compiled = nil
	changed := slices.Clone(setups)
	changed[500] = setup("500", "perplexity")
	changed[500].Revision, changed[500].CreatedAt = 2, setups[500].CreatedAt
	second := c.Monitors("env", changed).List
	require.Equal(t, []string{"perplexity"}, compiled)
	require.Equal(t, "perplexity", second[500].Bindings[0].Spec.Slug)
	for i := range second {
		require.Equal(t, i != 500, first[i] == second[i], i)
	}

	compiled = nil
	fewer := append(slices.Delete(slices.Clone(changed), 10, 20), setup("new", "char-count"))
	third := c.Monitors("env", fewer).List
	require.Equal(t, []string{"char-count"}, compiled)
	require.Equal(t, second[20:], third[10:990])

	compiled = nil
	again := slices.Clone(fewer)
	again[7].CreatedAt = again[7].CreatedAt.Add(time.Hour) // deleted, and created again under its id
	require.NotSame(t, third[7], c.Monitors("env", again).List[7])
	require.Len(t, compiled, 3)
}

// What is ready now concerns only the setups that waited for it.
func TestLoadedEvaluatorsCompileTheirOwnSetups(t *testing.T) {
	t.Parallel()
	var loaded atomic.Bool
	c := monitor.NewCache(prebuilt, func(e *eval.Evaluator) bool { return e.Slug != "perplexity" || loaded.Load() })
	setups := []monitor.Setup{setup("a", "char-count"), setup("b", "perplexity")}
	before := c.Monitors("env", setups).List
	loaded.Store(true)
	c.Loaded()
	after := c.Monitors("env", setups).List
	require.Same(t, before[0], after[0])
	require.ErrorIs(t, before[1].Bindings[0].Err, monitor.ErrLoading)
	require.NotErrorIs(t, after[1].Bindings[0].Err, monitor.ErrLoading)
}

func TestEqualWishesAreTheSame(t *testing.T) {
	t.Parallel()
	setup := func(config, backend, key string) monitor.Setup {
		s := setup(config+backend+key, "json-validator")
		s.Evaluators[0].Config, s.Evaluators[0].Backend = json.RawMessage(config), backend
		if key != "" {
			s.Evaluators[0].Inputs = map[string]monitor.InputSource{"text": {Source: monitor.SpanAttributes, Key: key}}
		}
		return s
	}
	setups := []monitor.Setup{
		setup("", "", ""), setup("", "", ""),
		setup(`{"enable_schema_validation":false}`, "", ""), setup(`{ "enable_schema_validation" : false }`, "", ""),
		setup("", "auto", ""), setup("", "", "k"), setup("", "", "k"), setup("", "", "l"),
	}
	setups[1].Evaluators[0].SampleRate = 0.5 // which traces is another question
	kinds := []int{0, 0, 1, 1, 2, 3, 3, 4}
	monitors := monitor.NewCache(prebuilt, always).Monitors("env", setups).List
	for i, m := range monitors {
		require.NoError(t, m.Bindings[0].Err)
		for j, other := range monitors {
			require.Equal(t, kinds[i] == kinds[j], m.Bindings[0].Same(other.Bindings[0]), "%d and %d", i, j)
		}
	}
}

func TestMatchesAreCountedUntilThereAreEnough(t *testing.T) {
	t.Parallel()
	b := monitor.NewCache(prebuilt, always)
	open, done := setup("open", "char-count"), setup("done", "char-count")
	done.Status = monitor.Completed
	monitors := b.Monitors("env", []monitor.Setup{open, done}).List
	require.True(t, monitors[0].NeedsMatches())
	require.True(t, monitors[0].NeedsMatches())
	monitors[0].MarkMatched()
	require.False(t, monitors[0].NeedsMatches())
	require.False(t, monitors[1].NeedsMatches())
}
