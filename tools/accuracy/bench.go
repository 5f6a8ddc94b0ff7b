// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// bench calls one evaluator.
type bench struct {
	evaluator *eval.Evaluator
	data      string
}

// ask returns one output of the evaluator on a text.
func (b *bench) ask(text, output string, config map[string]any) (any, error) {
	return b.asks(map[string]string{b.evaluator.Input[0].Name: text}, output, config)
}

// asks returns one output of the evaluator on several texts.
func (b *bench) asks(texts map[string]string, output string, config map[string]any) (any, error) {
	input, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	var settings []byte
	if config != nil {
		if settings, err = json.Marshal(config); err != nil {
			return nil, err
		}
	}
	result, err := b.evaluator.FromJSON(context.Background(), input, settings)
	if err != nil {
		return nil, err
	}
	for _, o := range result.Outputs {
		if o.Name == output {
			return o.Value, nil
		}
	}
	return nil, fmt.Errorf("there is no output %q", output)
}

// verdict is a yes or no and what it should have been.
type verdict struct{ got, want bool }

// verdicts asks for a yes or no on every row. The output means yes when it is
// that value; want tells by the label what it should be.
func (b *bench) verdicts(rows []dataset.Row, output string, yes bool, want func(label string) bool) ([]verdict, error) {
	made := make([]verdict, len(rows))
	for i, r := range rows {
		got, err := b.ask(r.Text, output, nil)
		if err != nil {
			return nil, err
		}
		made[i] = verdict{got: got == yes, want: want(r.Label)}
	}
	return made, nil
}

// steps is how often a search for a probability halves what is left of 0 to 1.
const steps = 12

// probabilities finds how sure the evaluator is of every row: the threshold at
// which its verdict turns.
func (b *bench) probabilities(rows []dataset.Row, output string, yes bool) ([]float64, error) {
	found := make([]float64, len(rows))
	for i, r := range rows {
		var err error
		if found[i], err = b.turns(func(threshold float64) (bool, error) {
			got, err := b.ask(r.Text, output, map[string]any{"threshold": threshold})
			return got == yes, err
		}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// turns returns the threshold at which what holds for lower ones no longer does.
func (b *bench) turns(holds func(threshold float64) (bool, error)) (float64, error) {
	low, high := 0.0, 1.0
	for range steps {
		middle := (low + high) / 2
		still, err := holds(middle)
		if err != nil {
			return 0, err
		}
		if still {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// among tells whether a label is one of some.
func among(labels ...string) func(string) bool {
	return func(label string) bool {
		for _, l := range labels {
			if l == label {
				return true
			}
		}
		return false
	}
}

// answers returns those of models to general questions that no model was trained with.
func (b *bench) answers() ([]dataset.Row, error) {
	_, answers, err := dataset.HaluEval(b.data)
	_, held := dataset.Split(answers)
	return held, err
}

// harmless returns the figures of false alarms: on questions and answers that
// training left out, on prompts of which some look alarming, and on requests.
func (b *bench) harmless(output string, yes bool, bar float64) ([]figure, error) {
	sets, err := b.ordinary()
	if err != nil {
		return nil, err
	}
	var made []figure
	for i, name := range []string{"WildGuard benign prompts", "HaluEval questions, held out", "HaluEval answers, held out", "CLINC requests, test"} {
		got, err := b.verdicts(sets[i], output, yes, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		f := tally(got).falseAlarms(name)
		if len(made) == 0 {
			f = f.upTo(bar)
		}
		made = append(made, f)
	}
	return made, nil
}

// ownHalves measures on the rows of a list of ours, of JSON Lines: what is found and what is
// objected to wrongly, under these names, in the rows of even places, by which rules were
// written, and in the others, which are held out and have these bars. Ask reads one row.
func (b *bench) ownHalves(set, list, found, alarms string, least, most float64, ask func(row []byte) (verdict, error)) ([]figure, error) {
	var halves [2][]verdict
	n := 0
	for row := range strings.Lines(list) {
		v, err := ask([]byte(row))
		if err != nil {
			return nil, err
		}
		halves[n%2] = append(halves[n%2], v)
		n++
	}
	own, held := tally(halves[0]), tally(halves[1])
	return []figure{
		proportion(set, found, own.hits, own.hits+own.misses),
		proportion(set, alarms, own.alarms, own.alarms+own.passes),
		proportion(set+", held out", found, held.hits, held.hits+held.misses).from(least),
		proportion(set+", held out", alarms, held.alarms, held.alarms+held.passes).upTo(most),
	}, nil
}

// output returns one output of the evaluator on several texts.
func (b *bench) output(name string, texts map[string]string) (any, error) {
	return b.asks(texts, name, nil)
}

// number asks an evaluator about several texts, and returns an output that is a number.
func (b *bench) number(name string, texts map[string]string) (float64, error) {
	got, err := b.output(name, texts)
	if err != nil {
		return 0, err
	}
	number, ok := got.(float64)
	if !ok {
		return 0, fmt.Errorf("%s is no number but %T", name, got)
	}
	return number, nil
}

// tableOf returns the rows of a table of ours: lines of so many columns, which tabs
// part. Only the last may have tabs in it.
func tableOf(name, text string, columns int) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(text) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", columns)
		if len(row) != columns {
			return nil, fmt.Errorf("%s: a line has %d columns", name, len(row))
		}
		rows = append(rows, row)
	}
	return rows, nil
}
