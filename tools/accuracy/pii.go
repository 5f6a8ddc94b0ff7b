// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var _ = enter("pii-detector", personal, "presidio-synth", "identifiers-synthetic", "halueval-general", "piguard-benign", "clinc-oos", "webquestions", "humaneval-x-code", "awesome-prompts")

// personal measures on templates and identifiers of which half were never
// looked at, and counts alarms on requests, questions, prompts and programs.
func personal(b *bench) ([]figure, error) {
	const output = "has_pii"
	templates, err := templates(b.data)
	if err != nil {
		return nil, err
	}
	numbers, err := numbers(b.data)
	if err != nil {
		return nil, err
	}
	var figures []figure
	add := func(made []figure, err error) error {
		figures = append(figures, made...)
		return err
	}
	all, err := b.rates("Presidio's templates", templates, output)
	if err != nil {
		return nil, err
	}
	all[0] = all[0].from(0.6)
	figures = append(figures, all...)
	held, err := b.rates("Presidio's templates, held out", heldOut(templates), output)
	if err != nil {
		return nil, err
	}
	held[0] = held[0].from(0.6)
	figures = append(figures, held...)
	named, err := b.rates("Identifiers next to their names, held out", heldOut(numbers), output)
	if err != nil {
		return nil, err
	}
	named[0], named[1] = named[0].from(0.95), named[1].upTo(0.02)
	figures = append(figures, named...)
	if err := add(b.hidden("Presidio's templates and identifiers, held out", append(heldOut(templates), heldOut(numbers)...), output)); err != nil {
		return nil, err
	}
	if err := add(b.ownPersonal(onlyOf("PHONE_NUMBER", templates), output)); err != nil {
		return nil, err
	}
	harmless, err := b.harmless(output, true, 0.01)
	if err != nil {
		return nil, err
	}
	for _, f := range harmless {
		figures = append(figures, f.upTo(0.01))
	}
	for _, set := range []struct{ name, dir string }{{"Web questions", "webquestions"}, {"Prompts of awesome-prompts", "awesome-prompts"}, {"Programs of HumanEval-X", "humaneval-x-code"}} {
		samples, err := plainTexts(b.data, set.dir)
		if err == nil {
			var made []figure
			made, err = b.rates(set.name, samples, output)
			for _, f := range made {
				figures = append(figures, f.upTo(0.01))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// templates reads the sentences of presidio-research, filled with made-up
// values; a template is a group.
func templates(data string) ([]sample, error) {
	text, err := os.ReadFile(filepath.Join(data, "presidio-synth", "synth.json")) //nolint:gosec // the directory is the caller's
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Text     string `json:"full_text"`
		Template int    `json:"template_id"`
		Spans    []struct {
			Kind string `json:"entity_type"`
		} `json:"spans"`
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("presidio-synth: %w", err)
	}
	samples := make([]sample, len(rows))
	for i, r := range rows {
		samples[i] = sample{text: r.Text, want: len(r.Spans) > 0, group: fmt.Sprint(r.Template)}
		for _, span := range r.Spans {
			samples[i].kinds = append(samples[i].kinds, span.Kind)
		}
	}
	return samples, nil
}

// numbers reads identifiers that stand next to their names, right and wrong
// ones.
func numbers(data string) ([]sample, error) {
	rows, err := jsonLines[struct {
		Text, Value    string
		Valid, Context int
	}](data, "identifiers-synthetic/rows.jsonl")
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, r := range rows {
		if r.Context == 1 {
			samples = append(samples, sample{text: r.Text, want: r.Valid == 1, group: r.Value})
		}
	}
	return samples, nil
}

// piiOwn are texts written for this: what they are about, 1 if a person's
// information is in them, and the text, in which \n stands for the end of a line.
//
//go:embed texts/pii_own.tsv
var piiOwn string

// ownPersonal measures on them what no data set holds, and phone numbers on
// Presidio's sentences besides.
func (b *bench) ownPersonal(phones []sample, output string) ([]figure, error) {
	var figures []figure
	for _, set := range []struct {
		about, name string
		least, most float64
		more        []sample
	}{
		{"records", "own records with keys", 0.95, 0.03, nil},
		{"phones", "own sentences with phone numbers, and Presidio's", 0.98, 0.03, phones},
		{"names", "own sentences with names", 0.85, 0.05, nil},
		{"rest", "own sentences with mail, days, ages, streets, accounts, addresses of networks", 0.95, 0.03, nil},
	} {
		samples, err := ownSamples(set.about)
		if err != nil {
			return nil, err
		}
		got, err := b.rates(set.name, append(samples, set.more...), output)
		if err != nil {
			return nil, err
		}
		figures = append(figures, got[0].from(set.least), got[1].upTo(set.most))
	}
	return figures, nil
}

func ownSamples(about string) ([]sample, error) {
	rows, err := tableOf("pii_own.tsv", piiOwn, 3)
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, row := range rows {
		if row[0] == about {
			samples = append(samples, sample{text: strings.ReplaceAll(row[2], `\n`, "\n"), want: row[1] == "1", group: row[2]})
		}
	}
	return samples, nil
}

// onlyOf returns the samples all of whose personal information is of a kind.
func onlyOf(kind string, samples []sample) []sample {
	return slices.DeleteFunc(slices.Clone(samples), func(s sample) bool {
		return len(s.kinds) == 0 || slices.ContainsFunc(s.kinds, func(k string) bool { return k != kind })
	})
}
