// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"fmt"
	"slices"
)

// Benign is the label of the texts to which no reader would object.
const Benign = "benign"

// HaluEval returns what people asked a model and what it answered, the two of a
// group each.
func HaluEval(dir string) (questions, answers []Row, err error) {
	type line struct {
		ID       string `json:"ID"`
		Question string `json:"user_query"`
		Answer   string `json:"chatgpt_response"`
	}
	err = lines(dir, "halueval-general/general_data.jsonl", func(l line) {
		group := "halueval " + l.ID
		questions = append(questions, Row{Text: l.Question, Label: Benign, Group: group})
		answers = append(answers, Row{Text: l.Answer, Label: Benign, Group: group})
	})
	return questions, answers, err
}

// Clinc returns requests to an assistant, labelled by what they want.
func Clinc(dir, split string) ([]Row, error) {
	var splits map[string][][2]string
	if err := object(dir, "clinc-oos/data_full.json", &splits); err != nil {
		return nil, err
	}
	if _, ok := splits[split]; !ok {
		return nil, fmt.Errorf("clinc-oos: there is no split %q", split)
	}
	rows := make([]Row, 0, len(splits[split]))
	for _, pair := range splits[split] {
		rows = append(rows, Row{Text: pair[0], Label: pair[1]})
	}
	return rows, nil
}

// IFEval returns prompts full of instructions.
func IFEval(dir string) ([]Row, error) {
	type line struct {
		Prompt string `json:"prompt"`
	}
	var rows []Row
	err := lines(dir, "ifeval/input_data.jsonl", func(l line) {
		rows = append(rows, Row{Text: l.Prompt, Label: Benign})
	})
	return rows, err
}

// PIGuard returns the prompts of one of its files: wildguard, all benign and
// never to be trained on, or valid, labelled injection or benign.
func PIGuard(dir, file string) ([]Row, error) {
	var prompts []struct {
		Prompt string `json:"prompt"`
		Label  int    `json:"label"`
	}
	if err := object(dir, "piguard-benign/"+file+".json", &prompts); err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(prompts))
	for _, p := range prompts {
		label := Benign
		if p.Label == 1 {
			label = Injection
		}
		rows = append(rows, Row{Text: p.Prompt, Label: label})
	}
	return slices.Clip(rows), nil
}
