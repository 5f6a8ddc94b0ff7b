// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var (
	//go:embed grammar/injection.txt
	injectionGrammar string
	//go:embed grammar/injection_games.txt
	injectionGamesGrammar string
	//go:embed grammar/injection_roles.txt
	injectionRolesGrammar string
	//go:embed grammar/injection_languages.txt
	injectionLanguagesGrammar string
	//go:embed grammar/injection_scenes.txt
	injectionScenesGrammar string
	//go:embed grammar/injection_pages.txt
	injectionPagesGrammar string
	//go:embed grammar/injection_world.txt
	injectionWorldGrammar string
	//go:embed grammar/injection_everyday.txt
	injectionEverydayGrammar string
)

var injection = recipe{
	bits: 19, passage: 120, labels: []string{"injection"}, cost: 4, balance: 0.4, point: 0.3, choose: true, alone: true,
	examples: func(data string) ([]example, error) {
		attacks, err := injectionAttacks(data)
		if err != nil {
			return nil, err
		}
		clean, err := injectionClean(data)
		if err != nil {
			return nil, err
		}
		var made []example
		for _, grammar := range []string{injectionGrammar, injectionGamesGrammar, injectionRolesGrammar, injectionScenesGrammar, injectionPagesGrammar, injectionLanguagesGrammar, injectionWorldGrammar, injectionEverydayGrammar} {
			more, err := sentences(grammar)
			if err != nil {
				return nil, err
			}
			made = append(made, more...)
		}
		fitted := slices.DeleteFunc(slices.Clone(clean), func(e example) bool { return e.tune != 0 })
		foreign, err := dataset.Attacks(data)
		if err != nil {
			return nil, err
		}
		foreign, _ = dataset.Part(foreign, 4)
		return slices.Concat(attacks, clean, made, carried(made, fitted), strung(made), mistyped(made), inserted(foreign, fitted)), nil
	},
}

// injectionAttacks returns the prompts of data sets that attack, and those of
// the same sets that do not.
func injectionAttacks(data string) ([]example, error) {
	prompts, err := dataset.Deepset(data)
	if err != nil {
		return nil, err
	}
	prompts, _ = dataset.Split(prompts)
	made := tuned(prompts, 2.5, 3, among(dataset.Injection))
	for _, set := range []struct {
		name    string
		heldOut uint64 // one in how many
		cost    float64
	}{
		{"inthewild-jailbreaks-half", 5, 0.3},
		{"jailbreakbench-half", 5, 0.5},
		{"cyberseceval-multilingual-half", 5, 1.6},
		{"bipia-train", 4, 0.7},
	} {
		rows, err := dataset.Set(data, set.name)
		if err != nil {
			return nil, err
		}
		rows, _ = dataset.Part(rows, set.heldOut)
		// A story that leads up to harm leaves the instructions alone.
		rows = slices.DeleteFunc(rows, func(r dataset.Row) bool { return r.Kind == "PAIR" })
		made = append(made, tuned(rows, set.cost, 1, among("1"))...)
	}
	return made, nil
}

// injectionClean returns texts without an attack: requests, prompts full of
// instructions, mails, code, chats, and what people write in many languages.
func injectionClean(data string) ([]example, error) {
	made, err := benign(data)
	if err != nil {
		return nil, err
	}
	full, err := dataset.IFEval(data)
	if err != nil {
		return nil, err
	}
	full, _ = dataset.Split(full)
	made = append(made, tuned(full, 1, 1, as(none))...)
	for _, set := range []struct {
		name    string
		heldOut uint64
		cost    float64
	}{
		{"awesome-prompts", 5, 1.5},
		{"cursor-rules", 5, 3.5},
		{"benign-chat-formats", 5, 1.2},
		{"benign-mails", 5, 0.7},
		{"m-ifeval-prompts", 5, 1},
		{"frr-multilingual-half", 5, 4},
		{"humaneval-x-code", 5, 0.7},
		{"xed-emotion-languages", 10, 0.5},
		{"germeval-2018", 10, 0.5},
		{"openai-moderation-half", 5, 0.7},
		{"gab-hate-corpus", 10, 0.3},
	} {
		rows, err := dataset.Set(data, set.name)
		if err != nil {
			return nil, err
		}
		rows, _ = dataset.Part(rows, set.heldOut)
		made = append(made, tuned(rows, set.cost, 1, as(none))...)
	}
	plain, err := plainSentences(data)
	return append(made, plain...), err
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
		// The passages without the attack are left out when passages are
		// chosen; very long texts would only make that take longer.
		if len(text) < 1500 {
			made = append(made, example{text: text, class: a.class})
		}
	}
	return made
}

// insertedCost is the weight of such a text.
const insertedCost = 0.8

// insertions is the number of texts that an instruction is put into.
const insertions = 18

// inserted puts instructions that are harmless alone into texts they have no
// business in.
func inserted(attacks []dataset.Row, clean []example) []example {
	var carriers []string
	for _, e := range clean {
		if len(e.text) > 250 && len(e.text) < 1200 {
			carriers = append(carriers, e.text)
		}
	}
	var made []example
	for i, a := range attacks {
		for n := range insertions {
			if len(carriers) == 0 {
				break
			}
			text := carriers[(i*7919+n*104729)%len(carriers)]
			switch n % 3 {
			case 0:
				text += "\n" + a.Text
			case 1:
				text = a.Text + "\n" + text
			case 2:
				middle := len(text) / 2
				if at := strings.IndexAny(text[middle:], ".!?\n"); at >= 0 {
					middle += at + 1
				} else {
					middle = len(text)
				}
				text = text[:middle] + " " + a.Text + text[middle:]
			}
			made = append(made, example{text: text, class: 0, cost: insertedCost})
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

// mistyped returns every second example with slips of the keyboard, attacks and
// others alike: a slip is no sign of either.
func mistyped(made []example) []example {
	var slips []example
	for i, e := range made {
		if i%2 == 0 {
			slips = append(slips, example{text: slip(e.text), class: e.class})
		}
	}
	return slips
}

// slip swaps, drops or doubles a letter in every second longer word, the same
// every time for a text.
func slip(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	random := rand.New(rand.NewPCG(h.Sum64(), 7)) //nolint:gosec // the same slips every time is the point
	words := strings.Split(text, " ")
	for i, w := range words {
		r := []rune(w)
		if len(r) < 4 || random.IntN(2) == 0 {
			continue
		}
		at := 1 + random.IntN(len(r)-2)
		switch random.IntN(3) {
		case 0:
			r[at], r[at+1] = r[at+1], r[at]
		case 1:
			r = slices.Delete(r, at, at+1)
		case 2:
			r = slices.Insert(r, at, r[at])
		}
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}
