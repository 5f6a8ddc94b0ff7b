// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/tools/models/dataset/datasettest"
)

func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	data, out := t.TempDir(), t.TempDir()
	datasettest.Write(t, data)
	var report bytes.Buffer
	require.NoError(t, run(data, out, "", false, &report))
	for _, m := range makers() {
		require.Contains(t, report.String(), m.file)
		require.FileExists(t, filepath.Join(out, m.file))
	}
	require.NoError(t, run(data, out, "", true, &report))

	sexism, err := os.ReadFile(filepath.Join(out, "sexism.bin"))
	require.NoError(t, err)
	m := linear.MustDecode(sexism)
	require.Greater(t, m.Probability("blathery"), 0.5, "a word that only its class has")
	require.Less(t, m.Probability("the baker sold a blue umbrella on day 5"), 0.5)
	tone, err := os.ReadFile(filepath.Join(out, "tone.bin"))
	require.NoError(t, err)
	label, _, _ := linear.MustDecode(tone).Best("the pilot found the piano with sadness")
	require.Equal(t, "sadness", label)

	terms, err := os.ReadFile(filepath.Join(out, "profanity.txt"))
	require.NoError(t, err)
	require.Equal(t, "strong: grumbit\nstrong: snorfle\n", string(terms), "once each, without what is mild, harmless, a name, a number or a scrawl")

	sexism[100]++
	require.NoError(t, os.WriteFile(filepath.Join(out, "sexism.bin"), sexism, 0o600))
	require.ErrorContains(t, run(data, out, "", true, &report), "sexism.bin is not what the data give")
	require.NoError(t, run(data, out, "tone.bin", true, &report), "only the one that is named")
	require.NoError(t, os.Remove(filepath.Join(out, "tone.bin")))
	require.Error(t, run(data, out, "tone.bin", true, &report))
}

func TestMissingDataAreAnError(t *testing.T) {
	t.Parallel()
	for _, m := range makers() {
		require.Error(t, run(t.TempDir(), t.TempDir(), m.file, false, &bytes.Buffer{}), m.file)
	}
	for missing, file := range map[string]string{
		"davidson-hate-offensive": "profanity.txt", "surge-profanity-lexicon": "profanity.txt", "us-census-names": "profanity.txt", "goemotions-ekman": "profanity.txt",
		"toxic-spans": "profanity.bin", "clean-words": "profanity.bin", "jigsaw-madlibs-half": "profanity.bin", "tatoeba-pairs": "profanity.bin",
		"halueval-general": "profanity.bin", "clinc-oos": "profanity.bin",
		"surge-toxicity": "toxicity.bin", "gab-hate-corpus": "toxicity.bin", "jigsaw-templates-multilingual": "toxicity.bin", "openai-moderation-half": "toxicity.bin",
		"hatemoji-build": "toxicity.bin", "germeval-2018": "toxicity.bin", "edos-sexism": "sexism.bin", "guest-misogyny": "sexism.bin", "xed-emotion-en": "tone.bin",
		"injection-deepset": "injection.bin", "ifeval": "injection.bin", "bipia-train": "injection.bin", "cursor-rules": "injection.bin", "benign-mails": "injection.bin",
	} {
		data := t.TempDir()
		datasettest.Write(t, data)
		require.NoError(t, os.RemoveAll(filepath.Join(data, missing)))
		require.Error(t, run(data, t.TempDir(), file, false, &bytes.Buffer{}), missing)
	}
	data := t.TempDir()
	datasettest.Write(t, data)
	require.Error(t, run(data, filepath.Join(data, "no", "such"), "sexism.bin", false, &bytes.Buffer{}))
}

// The weights must be where the gradient of the cost is nothing.
func TestLogisticFindsTheMinimum(t *testing.T) {
	t.Parallel()
	samples := []sample{
		{features: []linear.Feature{{Index: 0, Value: 1}, {Index: 1, Value: 0.5}}, positive: true, cost: 2},
		{features: []linear.Feature{{Index: 1, Value: 1}}, positive: false, cost: 1},
		{features: []linear.Feature{{Index: 0, Value: 0.2}, {Index: 2, Value: 1}}, positive: false, cost: 3},
		{features: []linear.Feature{{Index: 2, Value: 0.7}, {Index: 3, Value: 0.7}}, positive: true, cost: 1},
	}
	w := logistic(samples, 2)
	gradient := append([]float64(nil), w...)
	for _, s := range samples {
		y := signed(s.positive, 1)
		margin := w[4]
		for _, f := range s.features {
			margin += w[f.Index] * f.Value
		}
		push := -y * s.cost / (1 + math.Exp(y*margin))
		gradient[4] += push
		for _, f := range s.features {
			gradient[f.Index] += push * f.Value
		}
	}
	for _, g := range gradient {
		require.InDelta(t, 0, g, 0.05)
	}
}

func TestQuantise(t *testing.T) {
	t.Parallel()
	steps, size := quantise([]float64{-2, 0, 1, 0.001})
	require.Equal(t, []int8{-127, 0, 64, 0}, steps)
	require.InDelta(t, 2.0/127, size, 1e-12)
	steps, size = quantise([]float64{0, 0})
	require.Equal(t, []int8{0, 0}, steps)
	require.InDelta(t, 1, size, 0)
}

func TestARecipeNeedsTwoSides(t *testing.T) {
	t.Parallel()
	r := recipe{bits: 8, labels: []string{"a"}, cost: 1}
	_, err := r.train(nil)
	require.ErrorContains(t, err, "no examples")
	_, err = r.train([]example{{text: "one", class: 0}, {text: "two", class: 0}})
	require.ErrorContains(t, err, "alike")
}

func TestGrammar(t *testing.T) {
	t.Parallel()
	made, err := sentences("# A comment.\n[who]\nthe cat\nthe dog\n[maybe]\n_\n_\n now\n[does]\n{who} sleeps\n[+ 20]\n{who} sees that {does}{maybe}\n[- 3]\nnothing\\nelse\n")
	require.NoError(t, err)
	again, err := sentences("# A comment.\n[who]\nthe cat\nthe dog\n[maybe]\n_\n_\n now\n[does]\n{who} sleeps\n[+ 20]\n{who} sees that {does}{maybe}\n[- 3]\nnothing\\nelse\n")
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.Equal(t, example{text: "nothing\nelse", class: none}, made[len(made)-1], "once, though asked for three times")
	require.LessOrEqual(t, len(made), 9)
	for _, e := range made[:len(made)-1] {
		require.Zero(t, e.class)
		require.Regexp(t, `^the (cat|dog) sees that the (cat|dog) sleeps( now)?$`, e.text)
	}
	for source, about := range map[string]string{
		"[+ x]\na":                       "line 1",
		"[+ 1]\n{none}":                  "there is no list",
		"[a]\n{b}\n[b]\n{a}\n[+ 1]\n{a}": "circle",
	} {
		_, err := sentences(source)
		require.ErrorContains(t, err, about)
	}
	for _, source := range []string{toxicityGrammar, peopleGrammar, sexismGrammar, injectionGrammar, injectionGamesGrammar, injectionRolesGrammar, injectionScenesGrammar, injectionPagesGrammar, injectionLanguagesGrammar, injectionWorldGrammar} {
		made, err := sentences(source)
		require.NoError(t, err)
		for _, e := range made {
			require.NotContains(t, e.text, "{")
		}
	}
}
