// SPDX-License-Identifier: Apache-2.0

// Lettermodel trains the model of English letters that prompt-perplexity uses:
//
//	bin/tools/lettermodel -data DIR -out internal/evaluators/weights/letters.bin
//
// The same data give the same bytes. The texts are the half of HaluEval's
// questions and answers that measuring leaves alone, and CLINC's requests for
// training.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/ngram"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// least is how often a context must be seen to be kept.
const least = 8

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "directory of the data sets")
	out := flag.String("out", "internal/evaluators/weights/letters.bin", "file to write")
	verify := flag.Bool("verify", false, "compare with the file that is there")
	flag.Parse()
	if *data == "" {
		log.Fatal("lettermodel: -data is needed")
	}
	made, err := train(*data)
	if err != nil {
		log.Fatal("lettermodel: ", err)
	}
	if *verify {
		there, err := os.ReadFile(*out)
		if err != nil || !bytes.Equal(there, made) {
			log.Fatalf("lettermodel: %s is not what the data give", *out)
		}
		return
	}
	if err := os.WriteFile(*out, made, 0o644); err != nil { //nolint:gosec // part of the sources, for everybody to read
		log.Fatal("lettermodel: ", err)
	}
	fmt.Printf("%d bytes\n", len(made))
}

func train(data string) ([]byte, error) {
	questions, answers, err := dataset.HaluEval(data)
	if err != nil {
		return nil, err
	}
	requests, err := dataset.Clinc(data, "train")
	if err != nil {
		return nil, err
	}
	questions, _ = dataset.Halve(questions)
	answers, _ = dataset.Halve(answers)
	var texts [][]byte
	for _, r := range slices.Concat(questions, answers, requests) {
		if text := ngram.Prepare(r.Text); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	return ngram.Train(texts, least).Encode()
}
