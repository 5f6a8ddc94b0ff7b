// SPDX-License-Identifier: Apache-2.0

package judging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

// MaxItems is how many statements, goals or topics of one text are judged.
const MaxItems = 500

// batch is how many items a judge is asked about at once.
const batch = 50

// Judgement is a judge's verdict on one numbered item.
type Judgement struct {
	Index   int    `json:"index"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

// Yes reports whether the verdict is a yes.
func (j Judgement) Yes() bool { return j.Verdict == "yes" }

// Judgements are the verdicts on N items, in the order of their numbers. They are read from
// a list that has each number from 1 to N once: what is left out, or numbered otherwise, is
// no verdict on any of them.
type Judgements struct {
	N    int
	List []Judgement
}

// UnmarshalJSON implements json.Unmarshaler. The error is for the judge.
func (j *Judgements) UnmarshalJSON(b []byte) error {
	var given []Judgement
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	j.List = make([]Judgement, j.N)
	for _, g := range given {
		if g.Index < 1 || g.Index > j.N {
			return fmt.Errorf("a verdict has the index %d: the items are numbered from 1 to %d", g.Index, j.N)
		}
		if j.List[g.Index-1].Index != 0 {
			return fmt.Errorf("item %d has two verdicts: give one verdict on each item", g.Index)
		}
		j.List[g.Index-1] = g
	}
	for i := range j.List {
		if j.List[i].Index == 0 {
			return fmt.Errorf("item %d has no verdict: give a verdict on each of the %d items", i+1, j.N)
		}
	}
	return nil
}

// Count returns how many verdicts are yes.
func (j *Judgements) Count() (yes int) {
	for i := range j.List {
		if j.List[i].Yes() {
			yes++
		}
	}
	return yes
}

// No returns the items, in the order of their numbers, whose verdict is no, each with the
// reason for it.
func (j *Judgements) No(items []string) (list []string) {
	for i, item := range items {
		if !j.List[i].Yes() {
			list = append(list, wording.Because(item, j.List[i].Reason))
		}
	}
	return list
}

// Items are a list of texts that a judge finds in one. Needed says that there are some:
// an empty list is no answer then.
type Items struct {
	Needed bool
	List   []string
}

// UnmarshalJSON implements json.Unmarshaler. The error is for the judge.
func (t *Items) UnmarshalJSON(b []byte) error {
	var given []string
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	if t.List = Usable(given); t.Needed && len(t.List) == 0 {
		return errNothingFound
	}
	return nil
}

// Item is a piece of a text that a judge finds, and the verdict on it.
type Item struct{ Text, Reason, Verdict string }

// No returns the items whose verdict is no, each with the reason for it.
func No(items []Item) (list []string) {
	for _, i := range items {
		if i.Verdict == "no" {
			list = append(list, wording.Because(i.Text, i.Reason))
		}
	}
	return list
}

// Found are what else a judge finds in a text. Needed says that there is something: an empty
// list is no answer then.
type Found[T any] struct {
	Needed bool
	List   []T
}

// UnmarshalJSON implements json.Unmarshaler. The error is for the judge.
func (f *Found[T]) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &f.List); err != nil {
		return err
	}
	if f.Needed && len(f.List) == 0 {
		return errNothingFound
	}
	return nil
}

var errNothingFound = errors.New("a list is empty, though the text has something for it: list it")

// AskEach puts a step's question about numbered items, along with other data, to a judge, some
// items at a time. An answer leaves no item out.
func (p *Prompts) AskEach(ctx context.Context, m eval.Models, step, name string, items []string, data ...eval.DataBlock) (Judgements, error) {
	all := Judgements{N: len(items)}
	for chunk := range slices.Chunk(items, batch) {
		said := struct{ Verdicts Judgements }{Judgements{N: len(chunk)}}
		if err := p.Ask(ctx, m, step, Object("verdicts", Verdicts), &said, append(slices.Clone(data), Numbered(name, chunk))...); err != nil {
			return Judgements{}, err
		}
		all.List = append(all.List, said.Verdicts.List...)
	}
	return all, nil
}

// Usable returns the items that say something, each on one line so that none can
// pass for two, and not more than are judged.
func Usable(items []string) []string {
	var kept []string
	for _, item := range items {
		if item = strings.Join(strings.Fields(item), " "); item != "" && len(kept) < MaxItems {
			kept = append(kept, item)
		}
	}
	return kept
}

// Numbered lays out items for a judge, with the numbers that Judgements knows
// them by.
func Numbered(name string, items []string) eval.DataBlock {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = fmt.Sprintf("[%d] %s", i+1, item)
	}
	return eval.DataBlock{Name: name, Text: strings.Join(lines, "\n"), Whole: true}
}
