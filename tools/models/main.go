// SPDX-License-Identifier: Apache-2.0

// Models trains the models that evaluators carry, from labelled data sets:
//
//	bin/tools/models -data DIR -out internal/evaluators/weights
//
// The same data give the same bytes. With -verify nothing is written; the
// models are compared with those in the directory instead.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "directory of the data sets")
	out := flag.String("out", "internal/evaluators/weights", "directory of the models")
	verify := flag.Bool("verify", false, "compare with the models that are there")
	only := flag.String("only", "", "the one model to make")
	flag.Parse()
	if *data == "" {
		log.Fatal("models: -data is needed")
	}
	if err := run(*data, *out, *only, *verify, os.Stdout); err != nil {
		log.Fatal("models: ", err)
	}
}

// maker makes one file from the data sets.
type maker struct {
	file string
	make func(data string) ([]byte, error)
}

func makers() []maker {
	return []maker{
		{"profanity.txt", profanityTerms},
		{"profanity.bin", trainer(profanity)},
		{"toxicity.bin", trainer(toxicity)},
		{"sexism.bin", trainer(sexism)},
		{"tone.bin", trainer(tone)},
		{"injection.bin", trainer(injection)},
		{"injection_words.txt", injectionWords},
	}
}

func run(data, out, only string, verify bool, report io.Writer) error {
	var errs []error
	for _, m := range makers() {
		if only != "" && m.file != only {
			continue
		}
		start := time.Now()
		made, err := m.make(data)
		if err != nil {
			return fmt.Errorf("%s: %w", m.file, err)
		}
		path := filepath.Join(out, m.file)
		if verify {
			errs = append(errs, same(path, made))
		} else if err := os.WriteFile(path, made, 0o644); err != nil { //nolint:gosec // part of the sources, for everybody to read
			return err
		}
		if _, err := fmt.Fprintf(report, "%-14s %7d bytes  %.1f s\n", m.file, len(made), time.Since(start).Seconds()); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

func same(path string, made []byte) error {
	there, err := os.ReadFile(path) //nolint:gosec // the directory is the caller's to choose
	if err != nil {
		return err
	}
	if !bytes.Equal(there, made) {
		return fmt.Errorf("%s is not what the data give", path)
	}
	return nil
}
