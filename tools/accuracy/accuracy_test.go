// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
	"github.com/touchstone-otel/touchstone/tools/models/dataset/datasettest"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	c := tally([]verdict{{true, true}, {true, true}, {true, false}, {false, true}, {false, false}, {false, false}})
	require.Equal(t, counts{hits: 2, alarms: 1, misses: 1, passes: 2}, c)
	require.InDelta(t, 2.0/3, c.precision(), 1e-12)
	require.InDelta(t, 2.0/3, c.recall(), 1e-12)
	require.InDelta(t, 2.0/3, c.f1(), 1e-12)
	require.InDelta(t, 4.0/6, c.accuracy(), 1e-12)
	require.Zero(t, counts{}.f1())
	require.Len(t, c.figures("set"), 4)
}

func TestAreaUnderROC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    []float64
		in   []bool
		want float64
	}{
		{[]float64{0.9, 0.8, 0.2, 0.1}, []bool{true, true, false, false}, 1},
		{[]float64{0.9, 0.8, 0.2, 0.1}, []bool{false, false, true, true}, 0},
		{[]float64{0.5, 0.5, 0.5, 0.5}, []bool{true, false, true, false}, 0.5},
		{[]float64{0.9, 0.4, 0.6, 0.1}, []bool{true, true, false, false}, 0.75},
		{[]float64{0.9}, []bool{true}, 0},
	} {
		require.InDelta(t, c.want, areaUnderROC(c.p, c.in), 1e-12, "%v", c)
	}
}

func TestMacroF1(t *testing.T) {
	t.Parallel()
	each, mean := macroF1([]string{"a", "b", "c"}, []string{"a", "a", "b", "b"}, []string{"a", "b", "b", "b"})
	require.InDeltaSlice(t, []float64{2.0 / 3, 0.8, 0}, each, 1e-12)
	require.InDelta(t, (2.0/3+0.8)/3, mean, 1e-12)
}

func TestCalibrationError(t *testing.T) {
	t.Parallel()
	p, right := []float64{0.95, 0.95, 0.05, 0.05}, []bool{true, false, false, false}
	require.InDelta(t, (2*0.45+2*0.05)/4, calibration("s", p, right, nil).value, 1e-12)
	require.InDelta(t, calibration("s", p, right, nil).value, calibration("s", p, right, []float64{1, 1, 1, 1}).value, 1e-12)
	// Nine in ten of what is given 0.95 hold, all else being as rare.
	weighted := calibration("s", p, right, []float64{0.09, 0.01, 0.45, 0.45})
	require.InDelta(t, 0.1*0.05+0.9*0.05, weighted.value, 1e-12)
	require.Contains(t, curves([]figure{weighted}), "| 0.90 of 2 |")
	sets := mix([][]dataset.Row{{{Text: "a"}}, {{Text: "b"}}}, [][]dataset.Row{{{Text: "c"}}}, 0.1)
	require.Equal(t, []float64{0.05, 0.05, 0.9}, []float64{sets[0].share, sets[1].share, sets[2].share})
	require.Equal(t, []bool{true, true, false}, []bool{sets[0].want, sets[1].want, sets[2].want})
}

func TestBars(t *testing.T) {
	t.Parallel()
	require.False(t, score("s", 1, "n", 0.5).fallsShort())
	require.False(t, score("s", 1, "n", 0.5).from(0.5).fallsShort())
	require.True(t, score("s", 1, "n", 0.4999).from(0.5).fallsShort())
	require.True(t, score("s", 1, "n", math.NaN()).from(0.5).fallsShort())
	require.False(t, share("s", 1, "n", 0.01).upTo(0.01).fallsShort())
	require.True(t, share("s", 1, "n", 0.011).upTo(0.01).fallsShort())
	require.True(t, score("s", 1, "n", 0.45).from(0.5).missing(0.4, "hard").misses())
	require.False(t, score("s", 1, "n", 0.4).from(0.5).missing(0.4, "hard").fallsShort())
	require.True(t, score("s", 1, "n", 0.39).from(0.5).missing(0.4, "hard").fallsShort())
	require.False(t, score("s", 1, "n", 0.5).from(0.5).missing(0.4, "hard").misses())
	require.False(t, share("s", 1, "n", 0.03).upTo(0.01).missing(0.03, "hard").fallsShort())
	require.True(t, share("s", 1, "n", 0.04).upTo(0.01).missing(0.03, "hard").fallsShort())
	require.Contains(t, string(page([]section{{slug: "e", figures: []figure{score("s", 1, "n", 0.45).from(0.5).missing(0.4, "It is hard.")}}})), "| ≥ 0.500 **missed**: It is hard. |")
	require.Equal(t, "≤ 1.00 %", share("s", 1, "n", 0).upTo(0.01).bar())
	require.Equal(t, "≥ 0.500", score("s", 1, "n", 0).from(0.5).bar())
	require.Equal(t, "1.10 %", share("s", 1, "n", 0.011).text())
}

// The made-up sets hold words that no model knows: figures fall short, which
// must be reported and must fail.
func TestFiguresThatFallShortFail(t *testing.T) {
	t.Parallel()
	data, page := t.TempDir(), filepath.Join(t.TempDir(), "accuracy.md")
	datasettest.Write(t, data)
	var report bytes.Buffer
	err := run(evaluators.Catalog(), data, page, "", &report)
	require.ErrorContains(t, err, "profanity-detector: F1 on Davidson tweets, held out is")
	require.ErrorContains(t, err, "which must be ≥ 0.960")
	require.Contains(t, report.String(), "**missed**")
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, report.String(), string(written))
	for _, m := range measures() {
		require.Contains(t, report.String(), "## "+m.slug+"\n")
	}
}

func TestWithoutDataNothingIsMeasured(t *testing.T) {
	t.Parallel()
	var report bytes.Buffer
	require.NoError(t, run(evaluators.Catalog(), t.TempDir(), "", "", &report))
	require.Contains(t, report.String(), "Not measured: edos-sexism, piguard-benign, halueval-general, clinc-oos, guest-misogyny, jigsaw-madlibs-half is missing.")
}

func TestBrokenDataAreAnError(t *testing.T) {
	t.Parallel()
	for _, m := range measures() {
		for _, set := range m.sets {
			data := t.TempDir()
			datasettest.Write(t, data)
			files, err := filepath.Glob(filepath.Join(data, set, "*"))
			require.NoError(t, err)
			for _, f := range files {
				require.NoError(t, os.WriteFile(f, []byte("\x00"), 0o600))
			}
			e, _ := evaluators.Catalog().Get(m.slug)
			_, err = m.take(&bench{evaluator: e, data: data})
			require.Error(t, err, "%s without %s", m.slug, set)
		}
	}
	require.Error(t, run(&eval.Catalog{}, t.TempDir(), "", "", &bytes.Buffer{}), "an evaluator is missing")
	data := t.TempDir()
	datasettest.Write(t, data)
	require.Error(t, run(evaluators.Catalog(), data, filepath.Join(data, "no", "such"), "", &bytes.Buffer{}))
}

func TestProbabilitiesAreWhereVerdictsTurn(t *testing.T) {
	t.Parallel()
	e, _ := evaluators.Catalog().Get("toxicity-detector")
	b := &bench{evaluator: e}
	got, err := b.probabilities([]dataset.Row{{Text: "You are an idiot."}, {Text: "Thank you for the flowers."}}, "is_safe", false)
	require.NoError(t, err)
	require.InDelta(t, 0.95, got[0], 0.001)
	require.Less(t, got[1], 0.2)
	_, err = b.ask("x", "no such output", nil)
	require.ErrorContains(t, err, "no output")
	_, err = b.ask("x", "is_safe", map[string]any{"threshold": 2})
	require.Error(t, err)
}
