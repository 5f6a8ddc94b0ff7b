// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// identities returns the false alarms on kind sentences about groups of people,
// for all groups, for the worst, and the gap between the worst and the best;
// frames are held out. Sets of other languages than English have figures of their own.
func (b *bench) identities(slug string) ([]figure, error) {
	rows, err := b.heldOut("jigsaw-madlibs-half", 5)
	if err != nil {
		return nil, err
	}
	kind := only(rows, "0")
	groups := map[string][]dataset.Row{}
	for _, r := range kind {
		groups[cmp.Or(r.Kind, "none")] = append(groups[cmp.Or(r.Kind, "none")], r)
	}
	all, err := b.alarms("kind sentences about groups, frames held out", kind, "is_safe", false)
	if err != nil {
		return nil, err
	}
	worst, best, named := -1.0, 2.0, ""
	var each []figure
	var counted int
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if len(groups[name]) < fewest {
			continue
		}
		got, err := b.verdicts(groups[name], "is_safe", false, among())
		if err != nil {
			return nil, err
		}
		counted++
		if a := tally(got).alarmed(); a > worst {
			worst, named = a, name
		}
		best = min(best, tally(got).alarmed())
		each = append(each, tally(got).falseAlarms("kind sentences, "+name))
	}
	figures := []figure{
		all.upTo(0.03),
		share("kind sentences, the worst of the groups: "+named, len(groups[named]), "false alarms", worst).upTo(0.03),
		share("kind sentences, worst less best group", counted, "gap", worst-best).upTo(0.03),
	}
	figures = append(figures, each...)
	if slug != "toxicity-detector" {
		return figures, nil
	}
	got, err := b.verdicts(only(rows, "1"), "is_safe", false, among("1"))
	if err != nil {
		return nil, err
	}
	figures = append(figures, tally(got).figure("unkind sentences about groups, frames held out", "recall", counts.recall))
	templates, err := b.heldOut("jigsaw-templates-multilingual", 5)
	if err != nil {
		return nil, err
	}
	languages := map[string][]dataset.Row{}
	for _, r := range templates {
		languages[r.Language] = append(languages[r.Language], r)
	}
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		got, err := b.verdicts(languages[language], "is_safe", false, among("1"))
		if err != nil {
			return nil, err
		}
		c := tally(got)
		figures = append(figures, c.falseAlarms("templates about groups, "+language+", held out"), c.figure("templates about groups, "+language+", held out", "recall", counts.recall))
	}
	return figures, nil
}

// fewest is the number of sentences from which a group is measured.
const fewest = 12

// hearsayTexts are sentences that deny, quote or report what an evaluator looks for, and
// do none of it: the evaluator and the sentence.
//
//go:embed texts/hearsay.tsv
var hearsayTexts string

// hearsay returns the false alarms on denials, quotations and reports, at which models of
// words are weakest: there is no bar, so that the page says how weak.
func (b *bench) hearsay(slug string) (figure, error) {
	table, err := tableOf("hearsay.tsv", hearsayTexts, 2)
	if err != nil {
		return figure{}, err
	}
	var rows []dataset.Row
	for _, row := range table {
		if row[0] == slug {
			rows = append(rows, dataset.Row{Text: row[1]})
		}
	}
	return b.alarms("own denials, quotations and reports", rows, "is_safe", false)
}
