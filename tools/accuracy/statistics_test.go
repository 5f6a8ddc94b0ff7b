// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

func TestCorrelation(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, correlation([]float64{1, 2, 3}, []float64{10, 20, 30}), 1e-12)
	require.InDelta(t, -1, correlation([]float64{1, 2, 3}, []float64{3, 2, 1}), 1e-12)
	require.Zero(t, correlation([]float64{1, 1}, []float64{1, 2}))
	require.InDelta(t, 0.75, counts{hits: 1, misses: 1, passes: 3}.balanced(), 1e-12)
}

func TestPairsAndClaimsAreMeasured(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for name, text := range map[string]string{
		"stsb-en/stsb-en-dev.csv":   "A man sings.,A man sings.,5.0\nA man sings.,It rained.,0.0\n",
		"stsb-en/stsb-en-train.csv": "One.,One.,5.0\n\"Two, then.\",Three.,0.5\n",
		"wice/claim_dev.jsonl":      `{"label":"supported","claim":"It rained in Rome.","evidence":["It rained in Rome all day."]}` + "\n" + `{"label":"not_supported","claim":"It snowed in Oslo.","evidence":["It rained in Rome."]}`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(data, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(data, name), []byte(text), 0o600))
	}
	for slug, take := range map[string]func(*bench) ([]figure, error){"semantic-similarity": similarity, "faithfulness": faithfulness} {
		e, ok := evaluators.Catalog().Get(slug)
		require.True(t, ok)
		figures, err := take(&bench{evaluator: e, data: data})
		require.NoError(t, err)
		require.InDelta(t, 1, figures[0].value, 1e-9)
		_, err = (&bench{evaluator: e}).output("no_such_output", map[string]string{"completion": "a", "reference": "a", "context": "a", "question": "a"})
		require.Error(t, err)
		_, err = (&bench{evaluator: e}).output("score", nil)
		require.Error(t, err)
	}
	for _, broken := range []string{"a,b\n", "a,b,c\n", "a,\"b\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(data, "stsb-en", "stsb-en-dev.csv"), []byte(broken), 0o600))
		_, err := pairs(data, "dev")
		require.Error(t, err, broken)
	}
	require.NoError(t, os.WriteFile(filepath.Join(data, "wice", "claim_dev.jsonl"), []byte("{"), 0o600))
	_, err := claims(data)
	require.Error(t, err)
}
