// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("tone-detection", tone, "goemotions-ekman", "xed-emotion-en")

var tones = []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}

func tone(b *bench) ([]figure, error) {
	var figures []figure
	for _, split := range []string{"test", "dev"} {
		rows, err := dataset.GoEmotions(b.data, split)
		if err != nil {
			return nil, err
		}
		made, err := b.tones("GoEmotions, "+split, rows)
		if err != nil {
			return nil, err
		}
		if split == "test" {
			made[0], made[2] = made[0].from(0.59), made[2].upTo(0.05)
		}
		figures = append(figures, made...)
	}
	spoken, err := b.heldOut("xed-emotion-en", 10)
	if err != nil {
		return nil, err
	}
	made, err := b.tones("lines of films (XED), held out", only(spoken, tones...))
	if err != nil {
		return nil, err
	}
	made[1], made[2] = made[1].from(0.5), made[2].upTo(0.1)
	own, err := b.ownTones()
	if err != nil {
		return nil, err
	}
	signs, err := b.toneSigns()
	return append(append(append(figures, made...), own...), signs), err
}

// tonesShown are texts whose emoji or emoticons alone tell the tone, and some whose signs
// tell none: the tone and the text.
//
//go:embed texts/tone_signs.tsv
var tonesShown string

func (b *bench) toneSigns() (figure, error) {
	rows, err := tableOf("tone_signs.tsv", tonesShown, 2)
	if err != nil {
		return figure{}, err
	}
	right := 0.0
	for _, row := range rows {
		tone, err := b.ask(row[1], "tone", nil)
		if err != nil {
			return figure{}, err
		}
		if tone == row[0] {
			right++
		}
	}
	return proportion("own texts whose emoji tell the tone", "accuracy", right, float64(len(rows))).from(0.9), nil
}

// tonesOwn are what people write to assistants of what they feel, and plain requests: the
// tone, or the tones that are all right, and the text.
//
//go:embed texts/tone_own.tsv
var tonesOwn string

// ownTones measures on them, the half that was looked at and the one that is held out, by a
// hash of the text.
func (b *bench) ownTones() ([]figure, error) {
	rows, err := tableOf("tone_own.tsv", tonesOwn, 2)
	if err != nil {
		return nil, err
	}
	var right, all [2]float64
	for _, row := range rows {
		tone, err := b.ask(row[1], "tone", nil)
		if err != nil {
			return nil, err
		}
		half := 0
		if (sample{group: row[1]}).isHeldOut() {
			half = 1
		}
		all[half]++
		if slices.Contains(strings.Split(row[0], "|"), fmt.Sprint(tone)) {
			right[half]++
		}
	}
	const set, name = "own reports of feelings and plain requests", "accuracy"
	return []figure{proportion(set, name, right[0], all[0]), proportion(set+", held out", name, right[1], all[1]).from(0.75)}, nil
}

// tones returns the figures of one set: macro F1, accuracy, calibration error,
// and the F1 of each tone.
func (b *bench) tones(set string, rows []dataset.Row) ([]figure, error) {
	got, want := make([]string, len(rows)), make([]string, len(rows))
	sure, right := make([]float64, len(rows)), make([]bool, len(rows))
	hits := 0.0
	for i, r := range rows {
		answer, err := b.ask(r.Text, "tone", nil)
		if err != nil {
			return nil, err
		}
		p, err := b.ask(r.Text, "score", nil)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(fmt.Append(nil, p), &sure[i]); err != nil {
			return nil, err
		}
		got[i], want[i] = fmt.Sprint(answer), r.Label
		if right[i] = got[i] == want[i]; right[i] {
			hits++
		}
	}
	each, mean := macroF1(tones, got, want)
	figures := []figure{
		score(set, len(rows), "macro F1", mean).within(bootstrap(len(rows), func(sample []int) float64 {
			g, w := make([]string, len(sample)), make([]string, len(sample))
			for i, n := range sample {
				g[i], w[i] = got[n], want[n]
			}
			_, m := macroF1(tones, g, w)
			return m
		})),
		score(set, len(rows), "accuracy", ratio(hits, float64(len(rows)))),
		calibration(set, sure, right, nil),
	}
	for i, t := range tones {
		figures = append(figures, score(set, len(rows), "F1 of "+t, each[i]))
	}
	return figures, nil
}
