// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("faithfulness", faithfulness, "wice")

// statement is a claim, what it is to rest on, and what was found about it.
type statement struct {
	Claim    string `json:"claim"`
	Context  string `json:"context"`
	Question string `json:"question"`
	Label    string `json:"label"`
}

// heldOut reports whether it is in the half that nothing was chosen on. All
// statements about a context are in one half.
func (s statement) heldOut() bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Context)) // it never fails
	return (h.Sum32()>>8)%2 == 1
}

// statements reads the held-out half of a set, without the labels left out.
func statements(data, set string, left ...string) ([]statement, error) {
	rows, err := jsonLines[statement](data, set+"/rows.jsonl")
	return slices.DeleteFunc(rows, func(s statement) bool { return !s.heldOut() || among(left...)(s.Label) }), err
}

// faithfulness tells claims that their source supports from those that it
// supports in part or not, or contradicts.
func faithfulness(b *bench) ([]figure, error) {
	documents, err := claims(b.data)
	if err != nil {
		return nil, err
	}
	all := make([]statement, len(documents))
	for i, c := range documents {
		all[i] = statement{Claim: c.Text, Context: strings.Join(c.Evidence, "\n"), Label: c.Label}
	}
	made, _, err := b.faithful("WiCE claims, dev", all)
	if err != nil {
		return nil, err
	}
	for _, set := range []struct {
		name, about string
		left        []string
		least       float64
	}{
		{"begin-wow-dev", "BEGIN, Wizard of Wikipedia, dev, held-out half", nil, 0.8},
		{"faithdial-audit", "FaithDial audit, held-out half", []string{"generic", "uncooperative"}, 0},
		{"mnli-negation", "MultiNLI with negations, held-out half", []string{"not_enough"}, 0},
	} {
		if !dataset.Has(b.data, set.name) {
			continue
		}
		rows, err := statements(b.data, set.name, set.left...)
		if err != nil {
			return nil, err
		}
		figures, c, err := b.faithful(set.about, rows)
		if err != nil {
			return nil, err
		}
		if set.least > 0 {
			figures[0] = figures[0].from(set.least)
		}
		made = append(made, figures...)
		if set.name == "mnli-negation" {
			made = append(made, share(set.about, len(rows), "contradictions called faithful", ratio(c.alarms, c.alarms+c.passes)).upTo(0.5))
		}
	}
	own, err := b.turnedAround()
	if err != nil {
		return nil, err
	}
	opposite, err := b.opposite()
	return append(append(made, own...), opposite...), err
}

// ownStatements are sources, a claim that each bears out and one that turns it around: who
// did it, units and numbers, times, names, order. Those marked "seen" were looked at while
// checks were written, and are not measured.
//
//go:embed texts/faithfulness_own.tsv
var ownStatements string

// turnedAround asks about our own statements.
func (b *bench) turnedAround() ([]figure, error) {
	table, err := tableOf("faithfulness_own.tsv", ownStatements, 5)
	if err != nil {
		return nil, err
	}
	var rows []statement
	for _, row := range table {
		if row[0] == "held" {
			rows = append(rows, statement{Context: row[2], Claim: row[3], Label: "supported"}, statement{Context: row[2], Claim: row[4], Label: "refuted"})
		}
	}
	return b.pairs("own claims with who, units, numbers, times, names or order turned around, held out", "claims turned around called faithful", rows)
}

// ownOpposites are a question, what bears on it, an answer that keeps to that and one that
// says the opposite. Those marked "seen" were looked at while checks were written, and are
// not measured.
//
//go:embed texts/faithfulness_opposites.tsv
var ownOpposites string

// opposite asks about our own answers that say the opposite.
func (b *bench) opposite() ([]figure, error) {
	table, err := tableOf("faithfulness_opposites.tsv", ownOpposites, 5)
	if err != nil {
		return nil, err
	}
	var rows []statement
	for _, row := range table {
		if row[0] == "held" {
			rows = append(rows, statement{Question: row[1], Context: row[2], Claim: row[3], Label: "supported"}, statement{Question: row[1], Context: row[2], Claim: row[4], Label: "refuted"})
		}
	}
	return b.pairs("own answers about everyday matters and their opposites, held out", "opposites called faithful", rows)
}

// pairs asks about statements of which one half is borne out, and the other refuted.
func (b *bench) pairs(about, missed string, rows []statement) ([]figure, error) {
	figures, c, err := b.faithful(about, rows)
	if err != nil {
		return nil, err
	}
	return append(figures, share(about, int(c.alarms+c.passes), missed, ratio(c.alarms, c.alarms+c.passes)).
		within(c.interval(func(c counts) float64 { return ratio(c.alarms, c.alarms+c.passes) }))), nil
}

// faithful asks about statements.
func (b *bench) faithful(about string, rows []statement) ([]figure, counts, error) {
	verdicts := make([]verdict, len(rows))
	for i, s := range rows {
		got, err := b.output("is_faithful", map[string]string{"question": s.Question, "completion": s.Claim, "context": s.Context})
		if err != nil {
			return nil, counts{}, err
		}
		verdicts[i] = verdict{got: got == true, want: s.Label == "supported"}
	}
	c := tally(verdicts)
	return []figure{
		c.figure(about, "balanced accuracy", counts.balanced),
		score(about, len(rows), "recall", c.recall()), score(about, len(rows), "precision", c.precision()),
	}, c, nil
}

// claim is a sentence and what was found about it.
type claim struct {
	Label    string   `json:"label"`
	Text     string   `json:"claim"`
	Evidence []string `json:"evidence"`
}

// claims reads the claims of WiCE that are for development.
func claims(data string) ([]claim, error) {
	return jsonLines[claim](data, "wice/claim_dev.jsonl")
}
