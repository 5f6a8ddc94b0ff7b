// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/touchstone-otel/touchstone/tools/models/dataset"

// What people send to models: of 10,165 prompts to a public demonstration 7.33 % were
// found toxic and 2.01 % attacked the model (ToxicChat, Lin et al. 2023,
// https://huggingface.co/datasets/lmsys/toxic-chat).
const (
	toxicTraffic     = 0.0733
	attackingTraffic = 0.0201
)

// mixed is a set of texts and the share of a mix that it makes up.
type mixed struct {
	rows  []dataset.Row
	share float64
	want  bool
}

// ordinary returns what is sent to models and what they answer, of kinds that no
// model was trained with or held out from training: prompts of which some look alarming,
// questions, answers, requests.
func (b *bench) ordinary() ([][]dataset.Row, error) {
	questions, answers, err := dataset.HaluEval(b.data)
	if err != nil {
		return nil, err
	}
	prompts, err := dataset.PIGuard(b.data, "wildguard")
	if err != nil {
		return nil, err
	}
	requests, err := dataset.Clinc(b.data, "test")
	if err != nil {
		return nil, err
	}
	_, questions = dataset.Split(questions)
	_, answers = dataset.Split(answers)
	return [][]dataset.Row{prompts, questions, answers, requests}, nil
}

// mix returns texts of the class, sets alike, as a share of the whole, and harmless
// ones, sets alike, as the rest.
func mix(class, harmless [][]dataset.Row, part float64) []mixed {
	var made []mixed
	for _, rows := range class {
		made = append(made, mixed{rows, part / float64(len(class)), true})
	}
	for _, rows := range harmless {
		made = append(made, mixed{rows, (1 - part) / float64(len(harmless)), false})
	}
	return made
}

// natural returns the calibration error on a mix of sets as a figure: each text
// weighs what makes its set the share of the mix.
func (b *bench) natural(set string, sets []mixed, output string, yes bool) (figure, error) {
	var probabilities, weights []float64
	var right []bool
	for _, s := range sets {
		p, err := b.probabilities(s.rows, output, yes)
		if err != nil {
			return figure{}, err
		}
		for _, v := range p {
			probabilities = append(probabilities, v)
			weights = append(weights, s.share/float64(len(s.rows)))
			right = append(right, s.want)
		}
	}
	return calibration(set, probabilities, right, weights), nil
}
