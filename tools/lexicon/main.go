// SPDX-License-Identifier: Apache-2.0

// Lexicon counts in how many texts each stem of English occurs, for the
// evaluators that compare texts by their words, and lists the usual words with
// their stems:
//
//	bin/tools/lexicon -data DIR -out internal/evaluators/lexical
//
// The same data give the same bytes. The texts are the half of HaluEval's
// questions and answers that measuring leaves alone, and the comments of
// GoEmotions that are for training.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "directory of the data sets")
	out := flag.String("out", "internal/evaluators/lexical", "directory of the files to write")
	verify := flag.Bool("verify", false, "compare with the files that are there")
	flag.Parse()
	if *data == "" {
		log.Fatal("lexicon: -data is needed")
	}
	found, err := texts(*data)
	if err != nil {
		log.Fatal("lexicon: ", err)
	}
	for name, made := range map[string][]byte{"frequencies.txt": frequencies(found), "forms.txt": forms(found)} {
		path := filepath.Join(*out, name)
		if *verify {
			there, err := os.ReadFile(path) //nolint:gosec // the file that the caller names
			if err != nil || !bytes.Equal(there, made) {
				log.Fatalf("lexicon: %s is not what the data give", path)
			}
			continue
		}
		if err := os.WriteFile(path, made, 0o644); err != nil { //nolint:gosec // part of the sources, for everybody to read
			log.Fatal("lexicon: ", err)
		}
		fmt.Printf("%s: %d texts, %d bytes\n", name, len(found), len(made))
	}
}

// texts are those that are counted.
func texts(data string) ([]string, error) {
	questions, answers, err := dataset.HaluEval(data)
	if err != nil {
		return nil, err
	}
	comments, err := dataset.GoEmotions(data, "train")
	if err != nil {
		return nil, err
	}
	questions, _ = dataset.Halve(questions)
	answers, _ = dataset.Halve(answers)
	var all []string
	for _, r := range slices.Concat(questions, answers, comments) {
		all = append(all, r.Text)
	}
	return all, nil
}

func frequencies(texts []string) []byte {
	counts := map[string]int{}
	for _, text := range texts {
		for stem := range lexical.BagOf(text) {
			if !strings.ContainsFunc(stem, func(r rune) bool { return r <= ' ' }) {
				counts[stem]++
			}
		}
	}
	byCount := map[int][]string{}
	for stem, n := range counts {
		if n >= lexical.FrequentFrom {
			byCount[n] = append(byCount[n], stem)
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, len(texts))
	for _, n := range slices.SortedFunc(maps.Keys(byCount), func(x, y int) int { return cmp.Compare(y, x) }) {
		slices.Sort(byCount[n])
		fmt.Fprintln(&b, n, strings.Join(byCount[n], " "))
	}
	return b.Bytes()
}

// forms lists stems with the usual words that have them.
func forms(texts []string) []byte {
	counts := map[string]int{}
	for _, text := range texts {
		seen := map[string]bool{}
		for _, w := range lexical.Words(text) {
			if word, ends := lexical.Fold(w.Text); ends && !seen[word] {
				seen[word] = true
				counts[word]++
			}
		}
	}
	byStem := map[string][]string{}
	for word, n := range counts {
		if n >= lexical.UsualFrom && !strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' }) {
			stem := english.Stem(word, false)
			byStem[stem] = append(byStem[stem], word)
		}
	}
	var b bytes.Buffer
	for _, stem := range slices.Sorted(maps.Keys(byStem)) {
		slices.Sort(byStem[stem])
		fmt.Fprintln(&b, stem, strings.Join(byStem[stem], " "))
	}
	return b.Bytes()
}
