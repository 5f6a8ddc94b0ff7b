// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// usualFrom is how many texts for training must have a word that is taken for it.
const usualFrom = 2

// ownWords returns the words of our own lists and grammars, and those that texts for
// training have more than once.
func ownWords(root, data string) (map[string]bool, error) {
	words := map[string]bool{}
	for _, dir := range []string{"internal/evaluators", "tools/models/grammar"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if entry.IsDir() || filepath.Ext(path) != ".txt" {
				return nil
			}
			text, err := os.ReadFile(path) //nolint:gosec // a file of the repository
			eachWord(string(text), func(word string) { words[word] = true })
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	rows, err := training(data)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, r := range rows {
		seen := map[string]bool{}
		eachWord(r.Text, func(word string) {
			if !seen[word] {
				seen[word] = true
				counts[word]++
			}
		})
	}
	for word, n := range counts {
		if n >= usualFrom {
			words[word] = true
		}
	}
	return words, nil
}

// eachWord calls each for the words of a text that are of English letters, in lower
// case.
func eachWord(text string, each func(word string)) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		each(word)
	}
}

// training returns rows of data sets that are not held out: people's remarks, rude
// ones among them, questions, requests and attacks.
func training(data string) ([]dataset.Row, error) {
	var all []dataset.Row
	var errs []error
	add := func(rows []dataset.Row, err error) {
		all = append(all, rows...)
		errs = append(errs, err)
	}
	held := func(rows []dataset.Row, err error) {
		rows, _ = dataset.Split(rows)
		add(rows, err)
	}
	halved := func(rows []dataset.Row, err error) {
		rows, _ = dataset.Halve(rows)
		add(rows, err)
	}
	questions, answers, err := dataset.HaluEval(data)
	halved(questions, err)
	halved(answers, err)
	add(dataset.GoEmotions(data, "train"))
	add(dataset.EDOS(data, "train"))
	add(dataset.Clinc(data, "train"))
	held(dataset.Davidson(data))
	held(dataset.Attacks(data))
	halved(dataset.SurgeToxicity(data))
	for _, name := range []string{"xed-emotion-en", "gab-hate-corpus", "awesome-prompts", "benign-mails"} {
		held(dataset.Set(data, name))
	}
	return slices.Clip(all), errors.Join(errs...)
}

// choose returns the places of the words to keep: the most frequent ones of English
// letters, and rarer ones that are our own.
func choose(words []string, own map[string]bool, frequent int) []int {
	var kept []int
	seen := 0
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
			continue
		}
		if seen++; seen <= frequent || own[word] {
			kept = append(kept, i)
		}
	}
	return kept
}
