// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"
	"strings"
)

// piiOwn are texts written for this: what they are about, 1 if somebody's
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
