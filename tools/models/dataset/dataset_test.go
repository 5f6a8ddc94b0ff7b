// SPDX-License-Identifier: Apache-2.0

package dataset_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
	"github.com/touchstone-otel/touchstone/tools/models/dataset/datasettest"
)

// readers read one data set each, with the file that they read.
var readers = map[string]func(dir string) ([]dataset.Row, error){
	"davidson-hate-offensive/labeled_data.csv": dataset.Davidson,
	"edos-sexism/edos_labelled_aggregated.csv": func(dir string) ([]dataset.Row, error) { return dataset.EDOS(dir, "train") },
	"surge-toxicity/toxicity_en.csv":           dataset.SurgeToxicity,
	"hatecheck/test_suite_cases.csv":           dataset.HateCheck,
	"injection-deepset/deepset_normalized.csv": dataset.Deepset,
	"goemotions-ekman/dev.tsv":                 func(dir string) ([]dataset.Row, error) { return dataset.GoEmotions(dir, "dev") },
	"goemotions-ekman/labels.txt":              func(dir string) ([]dataset.Row, error) { return dataset.GoEmotions(dir, "dev") },
	"ifeval/input_data.jsonl":                  dataset.IFEval,
	"clinc-oos/data_full.json":                 func(dir string) ([]dataset.Row, error) { return dataset.Clinc(dir, "test") },
	"piguard-benign/valid.json":                func(dir string) ([]dataset.Row, error) { return dataset.PIGuard(dir, "valid") },
	"halueval-general/general_data.jsonl": func(dir string) ([]dataset.Row, error) {
		questions, answers, err := dataset.HaluEval(dir)
		return append(questions, answers...), err
	},
	"gab-hate-corpus/rows.jsonl":     func(dir string) ([]dataset.Row, error) { return dataset.Set(dir, "gab-hate-corpus") },
	"tatoeba-pairs/rows.jsonl":       dataset.Tatoeba,
	"bipia-train/rows-attacks.jsonl": dataset.Attacks,
	"surge-profanity-lexicon/profanity_en.csv": func(dir string) ([]dataset.Row, error) {
		terms, err := dataset.Profanity(dir)
		rows := make([]dataset.Row, len(terms))
		for i, t := range terms {
			rows[i] = dataset.Row{Text: t.Text, Label: t.Category}
		}
		return rows, err
	},
	"us-census-names/dist.male.first": func(dir string) ([]dataset.Row, error) {
		names, err := dataset.Names(dir)
		var rows []dataset.Row
		for n := range names {
			rows = append(rows, dataset.Row{Text: n, Label: "name"})
		}
		return rows, err
	},
}

func TestEverySetIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	datasettest.Write(t, dir)
	for file, read := range readers {
		rows, err := read(dir)
		require.NoError(t, err, file)
		require.NotEmpty(t, rows, file)
		for _, r := range rows {
			require.NotEmpty(t, r.Text, file)
			require.NotEmpty(t, r.Label, file)
		}
	}
	_, err := dataset.Clinc(dir, "none")
	require.ErrorContains(t, err, "no split")
}

func TestABrokenSetIsAnError(t *testing.T) {
	t.Parallel()
	for file, read := range readers {
		dir := t.TempDir()
		datasettest.Write(t, dir)
		path := filepath.Join(dir, filepath.FromSlash(file))
		if filepath.Base(file) != "labels.txt" && filepath.Dir(file) != "us-census-names" {
			for _, text := range []string{"", "a,b\n\"never closed", "x\ty\n", "some,other,columns\n1,2,3\n", "a\t99\tb\n"} {
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				_, err := read(dir)
				require.Error(t, err, "%s with %q", file, text)
			}
		}
		require.NoError(t, os.Remove(path))
		_, err := read(dir)
		require.Error(t, err, file)
	}
}

func TestASetOfRowsTellsWhatItTellsBesides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "some-set"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "some-set", "rows.jsonl"), []byte(
		`{"text": "one", "label": 1, "language": "de", "identity": "baker", "frame": "an X", "split": "train", "types": {"Profane/Obscene": 2}, "any": 1}`+"\n"+
			`{"text": "two", "label": "joy", "matched_text": "three", "labels": ["joy", "fear"], "not_toxic_votes": 3}`+"\n"+
			`{"text": "three", "label": "fear", "matched_text": "two"}`+"\n"), 0o600))
	rows, err := dataset.Set(dir, "some-set")
	require.NoError(t, err)
	require.Equal(t, dataset.Row{Text: "one", Label: "1", Group: "an X", Language: "de", Kind: "baker", Split: "train", Labels: []string{"any", "obscene"}}, rows[0])
	require.Equal(t, []string{"joy", "fear", "not toxic 3"}, rows[1].Labels)
	require.Equal(t, rows[1].Group, rows[2].Group, "a pair is one case")
}

func TestPartsAndTuning(t *testing.T) {
	t.Parallel()
	var rows []dataset.Row
	for n := range 4000 {
		rows = append(rows, dataset.Row{Text: "text " + strconv.Itoa(n)})
	}
	training, heldOut := dataset.Part(rows, 5)
	require.InDelta(t, 800, len(heldOut), 100)
	fitting, tuning := dataset.Tune(training)
	require.Len(t, append(fitting, tuning...), len(training))
	require.InDelta(t, 320, len(tuning), 80)
}

func TestRowsOfAGroupAreHeldOutTogether(t *testing.T) {
	t.Parallel()
	var rows []dataset.Row
	for g := range 300 {
		for range 3 {
			rows = append(rows, dataset.Row{Text: "a text", Group: "group " + strconv.Itoa(g)})
		}
	}
	training, heldOut := dataset.Split(rows)
	require.Len(t, rows, len(training)+len(heldOut))
	require.InDelta(t, 0.1, float64(len(heldOut))/float64(len(rows)), 0.06)
	for _, h := range heldOut {
		for _, r := range training {
			require.NotEqual(t, h.Group, r.Group)
		}
	}
	again, _ := dataset.Split(rows)
	require.Equal(t, training, again)
	half, other := dataset.Halve(rows)
	require.InDelta(t, len(half), len(other), 200)

	var spelt []dataset.Row
	for i := range 300 {
		spelt = append(spelt, dataset.Row{Text: "A  b" + strconv.Itoa(i)}, dataset.Row{Text: "a B" + strconv.Itoa(i)})
	}
	training, heldOut = dataset.Split(spelt)
	for _, h := range heldOut {
		for _, r := range training {
			require.False(t, strings.EqualFold(strings.ReplaceAll(h.Text, " ", ""), strings.ReplaceAll(r.Text, " ", "")), "case and spacing are no difference")
		}
	}
}

func TestRowsPutTogetherFromOthersAreOfTheirGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "injection-deepset"), 0o750))
	text := "id,text,label\n" +
		"1,one two three four five,0\n" +
		"2,before one two three four five after,1\n" +
		"3,nothing of the sort at all here,0\n" +
		"4,six seven,0\n5,six seven,1\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "injection-deepset", "deepset_normalized.csv"), []byte(text), 0o600))
	rows, err := dataset.Deepset(dir)
	require.NoError(t, err)
	require.Equal(t, rows[0].Group, rows[1].Group)
	require.NotEqual(t, rows[0].Group, rows[2].Group)
	require.Equal(t, rows[3].Group, rows[4].Group)
	require.Equal(t, dataset.Injection, rows[1].Label)
	require.Equal(t, dataset.Benign, rows[0].Label)
	require.True(t, dataset.Has(dir, "injection-deepset"))
	require.False(t, dataset.Has(dir, "none"))
}
