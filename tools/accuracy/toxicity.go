// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("toxicity-detector", toxicity, "surge-toxicity", "hatecheck", "halueval-general", "piguard-benign", "clinc-oos",
	"toxic-spans", "gab-hate-corpus", "openai-moderation-half", "hatemoji-build", "germeval-2018", "jigsaw-madlibs-half",
	"jigsaw-templates-multilingual", "tatoeba-pairs")

const moderatedTexts = "moderated texts (OpenAI), held-out fifth"

func toxicity(b *bench) ([]figure, error) {
	comments, err := dataset.SurgeToxicity(b.data)
	if err != nil {
		return nil, err
	}
	_, comments = dataset.Halve(comments)
	tests, err := dataset.HateCheck(b.data)
	if err != nil {
		return nil, err
	}
	moderated, err := b.heldOut("openai-moderation-half", 5)
	if err != nil {
		return nil, err
	}
	posts, err := b.heldOut("gab-hate-corpus", 10)
	if err != nil {
		return nil, err
	}
	news, err := b.newsAndPlain()
	if err != nil {
		return nil, err
	}
	emoji, err := b.heldOut("hatemoji-build", 10)
	if err != nil {
		return nil, err
	}
	german, err := b.heldOut("germeval-2018", 10)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, set := range []struct {
		name string
		rows []dataset.Row
		want func(string) bool
		area float64
		// off is the calibration error that is no step back.
		off float64
	}{
		{"Surge comments, held-out half", comments, among("Toxic"), 0.9, 0.13},
		{moderatedTexts, moderated, among("1"), 0.85, 0.17},
		{"toxic news comments and plain sentences, held out", news, among("1"), 0.9, 0.18},
		{"Gab posts, held out", posts, among("1"), 0, 0.16},
		{"hate with emoji, pairs held out", emoji, among("1"), 0, 0.21},
		{"German tweets, held out", german, among("1"), 0, 0.1},
		{"HateCheck, never trained on", tests, among("hateful"), 0, 0.18},
	} {
		made, err := b.withROC(set.name, set.rows, "is_safe", false, set.want)
		if err != nil {
			return nil, err
		}
		if set.area > 0 {
			made[atArea] = made[atArea].from(set.area)
		}
		if set.name == moderatedTexts {
			made[atArea] = made[atArea].missing(0.79, "few and long texts, fiction and reports among them; 638 are for training")
		}
		made[atCalibration] = made[atCalibration].upTo(set.off)
		figures = append(figures, made...)
	}
	ordinary, err := b.ordinary()
	if err != nil {
		return nil, err
	}
	known := [][]dataset.Row{only(comments, "Toxic"), only(moderated, "1"), only(news, "1"), only(posts, "1")}
	unlike := [][]dataset.Row{only(tests, "hateful"), only(emoji, "1"), only(german, "1")}
	for _, m := range []struct {
		name string
		sets []mixed
		bar  float64
	}{
		{"natural mix, toxic texts of Surge, OpenAI, news comments and Gab", mix(known, ordinary, toxicTraffic), 0.05},
		{"natural mix, toxic texts of HateCheck, emoji and German tweets", mix(unlike, ordinary, toxicTraffic), 0.1},
		{"the first mix, half of its harmless texts from the same four sets", mix(known, slices.Concat(ordinary, [][]dataset.Row{
			only(comments, "Not Toxic"), only(moderated, "0"), only(news, dataset.Benign), only(posts, "0"),
		}), toxicTraffic), 0},
	} {
		f, err := b.natural(m.name, m.sets, "is_safe", false)
		if err != nil {
			return nil, err
		}
		if m.bar > 0 {
			f = f.upTo(m.bar)
		}
		figures = append(figures, f)
	}
	var found []dataset.Row
	plain, err := b.verdicts(comments, "is_safe", false, among("Toxic"))
	if err != nil {
		return nil, err
	}
	for i, v := range plain {
		if v.got && v.want {
			found = append(found, comments[i])
		}
	}
	hidden, err := b.disguised("Surge comments found plainly", found, "is_safe", false, 0.85, 0.7)
	if err != nil {
		return nil, err
	}
	answers, err := b.answers()
	if err != nil {
		return nil, err
	}
	within := make([]dataset.Row, len(found))
	for i, r := range found {
		within[i] = dataset.Row{Text: betweenAnswers(answers, i*7, r.Text), Label: "yes"}
	}
	got, err := b.verdicts(within, "is_safe", false, among("yes"))
	if err != nil {
		return nil, err
	}
	hidden = append(hidden, tally(got).figure("Surge comments found plainly, between four harmless answers", "recall", counts.recall).from(0.55))
	identities, err := b.identities("toxicity-detector")
	if err != nil {
		return nil, err
	}
	harmless, err := b.harmless("is_safe", false, 0.01)
	if err != nil {
		return nil, err
	}
	hearsay, err := b.hearsay("toxicity-detector")
	if err != nil {
		return nil, err
	}
	own, err := b.ownHarmless()
	if err != nil {
		return nil, err
	}
	languages, err := b.languages()
	return slices.Concat(figures, hidden, identities, []figure{hearsay}, own, harmless, languages), err
}

// harmlessOwn are complaints about things and work, and plain sentences about groups of
// people: which of the two, and the sentence. They were written before any was made up for
// training in the way of them.
//
//go:embed texts/toxicity_harmless.tsv
var harmlessOwn string

// ownHarmless returns the false alarms on both. Complaints have no bar: raters of news
// comments call many of their words toxic, whatever they are said of.
func (b *bench) ownHarmless() ([]figure, error) {
	table, err := tableOf("toxicity_harmless.tsv", harmlessOwn, 2)
	if err != nil {
		return nil, err
	}
	of := map[string][]dataset.Row{}
	for _, row := range table {
		of[row[0]] = append(of[row[0]], dataset.Row{Text: row[1]})
	}
	complaints, err := b.alarms("own complaints about things, work and weather", of["complaint"], "is_safe", false)
	if err != nil {
		return nil, err
	}
	groups, err := b.alarms("own plain sentences about groups of people", of["group"], "is_safe", false)
	return []figure{complaints, groups.upTo(0.05)}, err
}

// newsAndPlain returns comments that all raters of the spans called toxic, and
// plain sentences.
func (b *bench) newsAndPlain() ([]dataset.Row, error) {
	news, err := b.heldOut("toxic-spans", 10)
	if err != nil {
		return nil, err
	}
	plain, err := dataset.Tatoeba(b.data)
	if err != nil {
		return nil, err
	}
	_, plain = dataset.Split(plain)
	rows := only(news, "1")
	for _, r := range plain {
		if r.Language == "en" {
			rows = append(rows, r)
		}
	}
	return rows, nil
}
