// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

//go:embed grammar/injection.txt
var injectionGrammar string

var injection = recipe{
	bits: 17, labels: []string{"injection"}, cost: 4, balance: 0.2,
	examples: func(data string) ([]example, error) {
		prompts, err := dataset.Deepset(data)
		if err != nil {
			return nil, err
		}
		full, err := dataset.IFEval(data)
		if err != nil {
			return nil, err
		}
		clean, err := benign(data)
		if err != nil {
			return nil, err
		}
		made, err := sentences(injectionGrammar)
		if err != nil {
			return nil, err
		}
		prompts, _ = dataset.Split(prompts)
		full, _ = dataset.Split(full)
		return slices.Concat(
			from(prompts, 1, among(dataset.Injection)),
			from(full, 1, as(none)),
			clean, made, carried(made, clean), strung(made),
		), nil
	},
}

// carried hides attacks in harmless texts, before, after and between them, as
// a page that a model is asked to read would.
func carried(attacks, clean []example) []example {
	var made []example
	for i, a := range attacks {
		if a.class == none || i%4 != 0 {
			continue
		}
		text := clean[i*7919%len(clean)].text
		switch i / 4 % 3 {
		case 0:
			text += " " + a.text
		case 1:
			text = a.text + "\n" + text
		case 2:
			text += "\n" + a.text + "\n" + clean[i*104729%len(clean)].text
		}
		// What is cut off from the attack when the text is long is harmless,
		// so only texts that are judged whole are of use.
		if len(text) < 700 {
			made = append(made, example{text: text, class: a.class})
		}
	}
	return made
}

// strung strings harmless sentences together, so that length and a change of
// subject do not look like an attack.
func strung(made []example) []example {
	var harmless []string
	for _, e := range made {
		if e.class == none {
			harmless = append(harmless, e.text)
		}
	}
	var strings []example
	for i, text := range harmless {
		for n := range i%4 + 1 {
			text += ". " + harmless[(i*7919+n*104729)%len(harmless)]
		}
		strings = append(strings, example{text: text, class: none})
	}
	return strings
}
