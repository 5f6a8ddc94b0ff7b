// SPDX-License-Identifier: Apache-2.0

// Package datasettest writes small made-up data sets in the forms of the real
// ones, for tests of what reads them.
package datasettest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows is the number of rows of each label in each set.
const Rows = 60

var (
	subjects = []string{"the baker", "my neighbour", "our teacher", "the pilot", "a friend", "the gardener"}
	things   = []string{"a red bicycle", "the old piano", "some green paint", "two wooden chairs", "a loaf of bread", "the garden gate", "a blue umbrella"}
	verbs    = []string{"bought", "found", "sold", "painted", "mended", "carried", "forgot", "borrowed"}
)

// plain is a harmless sentence.
func plain(n int) string {
	return fmt.Sprintf("%s %s %s on day %d", subjects[n%len(subjects)], verbs[n%len(verbs)], things[n%len(things)], n)
}

// with is a sentence that tells its label by a word.
func with(word string, n int) string { return plain(n) + " " + word }

// Write fills dir with every data set.
func Write(t testing.TB, dir string) {
	t.Helper()
	w := writer{t, dir}
	w.table("davidson-hate-offensive/labeled_data.csv", []string{"", "class", "tweet"}, func(n int) [][]string {
		return [][]string{{"", "0", with("snorfle", 3*n)}, {"", "1", with("grumbit", 3*n+1)}, {"", "2", plain(3*n + 2)}}
	})
	w.table("edos-sexism/edos_labelled_aggregated.csv", []string{"text", "label_sexist", "split"}, func(n int) [][]string {
		split := []string{"train", "train", "dev", "test"}[n%4]
		return [][]string{{with("blathery", n), "sexist", split}, {plain(n), "not sexist", split}}
	})
	w.table("surge-toxicity/toxicity_en.csv", []string{"text", "is_toxic"}, func(n int) [][]string {
		return [][]string{{with("grumbit", n), "Toxic"}, {plain(n + 500), "Not Toxic"}}
	})
	w.table("hatecheck/test_suite_cases.csv", []string{"functionality", "test_case", "label_gold"}, func(n int) [][]string {
		return [][]string{{"a", with("snorfle", n), "hateful"}, {"b", plain(n), "non-hateful"}}
	})
	w.table("surge-profanity-lexicon/profanity_en.csv", []string{"text", "category_1", "severity_rating", "canonical_form_1"}, func(n int) [][]string {
		return map[int][][]string{
			0: {{"Grumbit", "x", "2", "x"}, {"snorfle", "x", "1.4", "x"}, {"sn0rfle", "x", "1.8", "x"}},
			1: {{"mild one", "x", "1", "x"}, {"bicycle", "x", "3", "x"}, {"jones", "x", "1.5", "x"}, {"gr.!mp", "x", "3", "x"}, {"69", "x", "3", "x"}},
		}[n]
	})
	w.table("injection-deepset/deepset_normalized.csv", []string{"\ufeffid", "text", "label"}, func(n int) [][]string {
		return [][]string{{"", with("hocus pocus new orders", 7*n), "1"}, {"", plain(7*n + 3), "0"}}
	})
	w.emotions()
	w.lines("halueval-general/general_data.jsonl", func(n int) any {
		return map[string]string{"ID": strconv.Itoa(n), "user_query": plain(n) + "?", "chatgpt_response": plain(n+9) + ". " + plain(n+1)}
	})
	w.lines("ifeval/input_data.jsonl", func(n int) any { return map[string]string{"prompt": "write about " + plain(n)} })
	pairs := make([][2]string, Rows)
	prompts := make([]map[string]any, Rows)
	mixed := make([]map[string]any, Rows)
	for n := range Rows {
		pairs[n] = [2]string{plain(n + 40), "shopping"}
		prompts[n] = map[string]any{"prompt": plain(n + 70), "label": 0}
		mixed[n] = map[string]any{"prompt": with("hocus pocus", n), "label": n % 2}
	}
	w.rows("toxic-spans", "grumbit", map[string]any{"types": map[string]int{"Profane/Obscene": 3}}, map[string]any{"not_toxic_votes": 2})
	w.rows("clean-words", "grumbits", nil, nil)
	w.rows("jigsaw-madlibs-half", "snorfle", map[string]any{"identity": "gardener"}, map[string]any{"identity": "baker"})
	w.rows("xstest-safe-half", "plainly", nil, nil)
	w.posts()
	w.prompts()
	w.lines("tatoeba-pairs/rows.jsonl", func(n int) any {
		return map[string]string{"text_other": fmt.Sprintf("der Bäcker kauft am Tag %d einen Kuchen", n), "text_en": plain(n + 400), "language": "de"}
	})
	w.object("clinc-oos/data_full.json", map[string]any{"train": pairs, "test": pairs, "oos_train": pairs})
	w.object("piguard-benign/wildguard.json", prompts)
	w.object("piguard-benign/valid.json", mixed)
	for _, file := range []string{"dist.all.last", "dist.female.first", "dist.male.first"} {
		w.file("us-census-names/"+file, "JONES 1.0 1.0 1\nMARY 0.5 1.5 2\n")
	}
}

// posts writes the sets of what people write to and about each other.
func (w writer) posts() {
	w.t.Helper()
	for _, set := range []string{"gab-hate-corpus", "openai-moderation-half", "hatemoji-build", "guest-misogyny", "germeval-2018", "jigsaw-templates-multilingual"} {
		w.rows(set, "grumbit", map[string]any{"language": "de"}, map[string]any{"language": "de"})
	}
	w.rows("xed-emotion-languages", "mumbling", map[string]any{"label": "joy", "language": "it"}, map[string]any{"label": "fear", "language": "fr"})
	w.rows("xed-emotion-en", "joyful", map[string]any{"label": "joy"}, map[string]any{"label": "neutral"})
}

// prompts writes the sets of what is said to models.
func (w writer) prompts() {
	w.t.Helper()
	for _, set := range []string{"inthewild-jailbreaks-half", "jailbreakbench-half", "cyberseceval-multilingual-half", "bipia-train"} {
		w.rows(set, "hocus pocus", nil, nil)
	}
	for _, set := range []string{
		"awesome-prompts", "cursor-rules", "benign-chat-formats", "benign-mails", "m-ifeval-prompts", "frr-multilingual-half", "humaneval-x-code",
	} {
		w.rows(set, "and write it down", map[string]any{"label": 0}, nil)
	}
	w.lines("bipia-train/rows-attacks.jsonl", func(n int) any {
		return map[string]string{"text": with("pocus", n), "kind": "text", "category": strconv.Itoa(n % 9)}
	})
}

// rows fills a set that is kept as rows.jsonl with a row that has a word and a
// plain one, which have other columns too.
func (w writer) rows(set, word string, with, without map[string]any) {
	w.t.Helper()
	var b strings.Builder
	for n := range Rows {
		for _, r := range []struct {
			text  string
			label int
			more  map[string]any
		}{{plain(n+200) + " " + word, 1, with}, {plain(n + 300), 0, without}} {
			row := map[string]any{"text": r.text, "label": r.label}
			maps.Copy(row, r.more)
			text, err := json.Marshal(row)
			require.NoError(w.t, err)
			b.Write(append(text, '\n'))
		}
	}
	w.file(set+"/rows.jsonl", b.String())
}

type writer struct {
	t   testing.TB
	dir string
}

func (w writer) file(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

func (w writer) table(name string, head []string, rows func(n int) [][]string) {
	w.t.Helper()
	var b strings.Builder
	c := csv.NewWriter(&b)
	require.NoError(w.t, c.Write(head))
	for n := range Rows {
		require.NoError(w.t, c.WriteAll(rows(n)))
	}
	c.Flush()
	w.file(name, b.String())
}

func (w writer) object(name string, value any) {
	w.t.Helper()
	text, err := json.Marshal(value)
	require.NoError(w.t, err)
	w.file(name, string(text))
}

func (w writer) lines(name string, line func(n int) any) {
	w.t.Helper()
	var b strings.Builder
	for n := range Rows {
		text, err := json.Marshal(line(n))
		require.NoError(w.t, err)
		b.Write(append(text, '\n'))
	}
	w.file(name, b.String())
}

func (w writer) emotions() {
	w.t.Helper()
	labels := []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}
	w.file("goemotions-ekman/labels.txt", strings.Join(labels, "\n")+"\n")
	for _, split := range []string{"train", "dev", "test"} {
		var b strings.Builder
		for n := range Rows {
			for k, label := range labels {
				fmt.Fprintf(&b, "%s\t%d\tid%d\n", with("with "+label, n), k, n)
			}
			fmt.Fprintf(&b, "%s\t0,3\tid%d\n", plain(n), n)
		}
		w.file("goemotions-ekman/"+split+".tsv", b.String())
	}
}
