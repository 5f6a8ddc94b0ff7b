// SPDX-License-Identifier: Apache-2.0

// Names writes the list of given and family names by which names of people are
// recognised in running text:
//
//	bin/tools/names -data DIR -out internal/evaluators/pii/names.gz
//
// The same data give the same bytes. A line is a name in lower case, a space
// and what it is: f a given name, s a family name, b both; upper case says that
// it is also a word, which requests and prompts have in lower case often enough.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostCensus is how many family names of the US Census are taken, the most
// frequent ones.
const mostCensus = 20_000

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "directory of the data sets")
	out := flag.String("out", "internal/evaluators/pii/names.gz", "file to write")
	flag.Parse()
	if *data == "" {
		log.Fatal("names: -data is needed")
	}
	if err := run(*data, *out); err != nil {
		log.Fatal("names: ", err)
	}
}

func run(data, out string) error {
	names := list{}
	for _, read := range []func(string, list) error{faker, countries, census} {
		if err := read(data, names); err != nil {
			return err
		}
	}
	words, err := vocabulary(data)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(names)) {
		kind := names[name]
		if words[name].isWord() {
			kind -= 'a' - 'A'
		}
		fmt.Fprintf(&text, "%s %c\n", name, kind)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%d names, %d bytes\n", len(names), packed.Len())
	return os.WriteFile(out, packed.Bytes(), 0o644) //nolint:gosec // part of the sources, for everybody to read
}

// list has names in lower case and what they are: 'f', 's' or 'b'.
type list map[string]byte

// add enters the parts of a name that are of letters of an alphabet with upper
// and lower case.
func (l list) add(name string, kind byte) {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		first, _ := utf8.DecodeRuneInString(part)
		if utf8.RuneCountInString(part) < 3 || !unicode.IsUpper(first) {
			continue
		}
		part = strings.ToLower(part)
		if was := l[part]; was != 0 && was != kind {
			l[part] = 'b'
		} else {
			l[part] = kind
		}
	}
}

func faker(data string, names list) error {
	return table(data, "names-faker/names.tsv", func(row []string) { names.add(row[0], row[1][0]) })
}

func countries(data string, names list) error {
	return table(data, "names-by-country/names.tsv", func(row []string) {
		names.add(row[0], row[2][0])
		names.add(row[1], row[2][0])
	})
}

func census(data string, names list) error {
	for file, kind := range map[string]byte{"dist.all.last": 's', "dist.female.first": 'f', "dist.male.first": 'f'} {
		n := 0
		err := table(data, "us-census-names/"+file, func(row []string) {
			name, _, _ := strings.Cut(row[0], " ")
			if n++; n <= mostCensus && len(name) > 1 {
				names.add(name[:1]+strings.ToLower(name[1:]), kind)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// table reads a file of columns.
func table(data, name string, each func(row []string)) error {
	text, err := os.ReadFile(filepath.Join(data, name)) //nolint:gosec // the directory is the caller's
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		row := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if row[0] != "name" {
			each(row)
		}
	}
	return nil
}

// cases counts in which case a word comes.
type cases struct{ lower, upper int }

// isWord reports whether a name is a word too: it comes in lower case more than
// once, and not only where the author wrote names without capital letters.
func (c cases) isWord() bool { return c.lower > 1 && c.lower*mostCapitals > c.upper }

// mostCapitals is how much more often than in lower case a word has a capital
// letter: English is one, Daniel is none.
const mostCapitals = 40

// joints stand within addresses and identifiers, whose parts may be names in
// lower case without being words.
const joints = "@._0123456789"

// listedWords is a list of words, all in lower case if they are no names.
const listedWords = "clean-words/rows.jsonl"

// vocabulary counts the words of prompts, rules and mails, those in lower case
// and those with a capital letter, by what they are in lower case.
func vocabulary(data string) (map[string]cases, error) {
	words := map[string]cases{}
	for _, name := range []string{"awesome-prompts/rows.jsonl", "cursor-rules/rows.jsonl", "benign-mails/rows.jsonl", listedWords} {
		f, err := os.Open(filepath.Join(data, name)) //nolint:gosec // the directory is the caller's
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var row struct{ Text string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if name != listedWords {
				count(row.Text, words)
			} else if !strings.Contains(row.Text, " ") { // the pairs are of chance, and have names in lower case
				words[row.Text] = cases{lower: math.MaxInt32}
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// count enters the words of a text that are no parts of addresses and
// identifiers.
func count(text string, words map[string]cases) {
	for field := range strings.FieldsSeq(text) {
		field = strings.TrimRight(field, "._-/")
		if strings.ContainsAny(field, joints) {
			continue
		}
		for word := range strings.FieldsFuncSeq(field, func(r rune) bool { return !unicode.IsLetter(r) }) {
			low := strings.ToLower(word)
			c := words[low]
			if word == low {
				c.lower++
			} else {
				c.upper++
			}
			words[low] = c
		}
	}
}
