// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/accuracy/disguise"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("profanity-detector", profanity, "davidson-hate-offensive", "surge-toxicity", "halueval-general", "piguard-benign", "clinc-oos",
	"clean-words", "tatoeba-pairs", "jigsaw-madlibs-half", "toxic-spans", "xstest-safe-half", "germeval-2018")

func profanity(b *bench) ([]figure, error) {
	tweets, err := dataset.Davidson(b.data)
	if err != nil {
		return nil, err
	}
	_, tweets = dataset.Split(tweets)
	got, err := b.verdicts(tweets, "is_safe", false, among("hate", "offensive"))
	if err != nil {
		return nil, err
	}
	figures := tally(got).figures("Davidson tweets, held out")
	figures[0] = figures[0].from(0.96)
	comments, err := dataset.SurgeToxicity(b.data)
	if err != nil {
		return nil, err
	}
	toxic, err := b.verdicts(comments, "is_safe", false, among("Toxic"))
	if err != nil {
		return nil, err
	}
	c := tally(toxic)
	figures = append(figures, c.figure("Surge comments, toxic is not profane", "precision", counts.precision), c.figure("Surge comments, toxic is not profane", "recall", counts.recall))
	hidden, err := b.disguisedProfanity(tweets, got)
	if err != nil {
		return nil, err
	}
	traps, err := b.profanityTraps()
	if err != nil {
		return nil, err
	}
	others, err := b.profanityOfOthers()
	if err != nil {
		return nil, err
	}
	harmless, err := b.harmless("is_safe", false, 0.005)
	return slices.Concat(figures, hidden, traps, others, harmless), err
}

// disguisedProfanity returns the share of the profane texts that are found when
// their words are hidden, of those that are found plainly.
func (b *bench) disguisedProfanity(rows []dataset.Row, plain []verdict) ([]figure, error) {
	var found []dataset.Row
	for i, v := range plain {
		if v.got && v.want && len(found) < 400 {
			found = append(found, rows[i])
		}
	}
	return b.disguised("Davidson tweets found plainly", found, "is_safe", false, 0.9, 0.5)
}

// disguised returns the share of texts that are objected to when hidden, by
// disguise. Slips have a bar of their own: they are none on purpose.
func (b *bench) disguised(set string, rows []dataset.Row, output string, yes bool, bar, slipped float64) ([]figure, error) {
	var made []figure
	for _, d := range disguise.OfWords {
		hidden := make([]dataset.Row, len(rows))
		for i, r := range rows {
			hidden[i] = dataset.Row{Text: d.Put(r.Text), Label: "yes"}
		}
		got, err := b.verdicts(hidden, output, yes, among("yes"))
		if err != nil {
			return nil, err
		}
		made = append(made, tally(got).figure(set+", "+d.Name, "recall", counts.recall))
		if d.Name == disguise.Slips {
			made[len(made)-1] = made[len(made)-1].from(slipped)
		} else {
			made[len(made)-1] = made[len(made)-1].from(bar)
		}
	}
	return made, nil
}

// profanityTraps returns the false alarms on texts that hold what looks like
// profanity or is written about people.
func (b *bench) profanityTraps() ([]figure, error) {
	words, err := dataset.Set(b.data, "clean-words")
	if err != nil {
		return nil, err
	}
	_, words = dataset.Halve(words)
	sentences, err := dataset.Tatoeba(b.data)
	if err != nil {
		return nil, err
	}
	_, sentences = dataset.Split(sentences)
	people, err := dataset.Set(b.data, "jigsaw-madlibs-half")
	if err != nil {
		return nil, err
	}
	_, people = dataset.Split(only(people, "0"))
	safe, err := dataset.Set(b.data, "xstest-safe-half")
	if err != nil {
		return nil, err
	}
	spans, err := dataset.Set(b.data, "toxic-spans")
	if err != nil {
		return nil, err
	}
	_, spans = dataset.Split(spans)
	var figures []figure
	for _, set := range []struct {
		name string
		rows []dataset.Row
	}{
		{"words that hold a swear word, held-out half", words},
		{"plain sentences of 14 languages, held out", sentences},
		{"kind sentences about groups, held out", people},
		{"XSTest, safe", safe},
		{"own sentences with harmless meanings", lines(profanityHarmless)},
	} {
		f, err := b.alarms(set.name, set.rows, "is_safe", false)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f.upTo(0.03))
	}
	for _, set := range []struct {
		name string
		rows []dataset.Row
		bar  float64
	}{
		{"own rude sentences", lines(profanityRude), 0.85},
		{"news comments that raters call obscene, held out", profaneOnly(spans), 0.6},
	} {
		got, err := b.verdicts(set.rows, "is_safe", false, func(string) bool { return true })
		if err != nil {
			return nil, err
		}
		figures = append(figures, tally(got).figure(set.name, "recall", counts.recall).from(set.bar))
	}
	return figures, nil
}

var (
	//go:embed texts/profanity_harmless.txt
	profanityHarmless string
	//go:embed texts/profanity_rude.txt
	profanityRude string
)

// lines returns a text of our own in each line.
func lines(texts string) []dataset.Row {
	var rows []dataset.Row
	for line := range strings.Lines(texts) {
		if text := strings.TrimSpace(line); text != "" {
			rows = append(rows, dataset.Row{Text: text})
		}
	}
	return rows
}

// only returns the rows of some labels.
func only(rows []dataset.Row, labels ...string) []dataset.Row {
	var kept []dataset.Row
	for _, r := range rows {
		if slices.Contains(labels, r.Label) {
			kept = append(kept, r)
		}
	}
	return kept
}

// profaneOnly returns the rows that at least two raters call obscene.
func profaneOnly(rows []dataset.Row) []dataset.Row {
	var kept []dataset.Row
	for _, r := range rows {
		if r.Label == "1" && slices.Contains(r.Labels, "obscene") {
			kept = append(kept, r)
		}
	}
	return kept
}
