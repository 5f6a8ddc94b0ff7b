// SPDX-License-Identifier: Apache-2.0

package judging

import (
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// MaxItems is how many statements, goals or topics of one text are judged.
const MaxItems = 50

// Judgement is a judge's verdict on one numbered item.
type Judgement struct {
	Index   int    `json:"index"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

// Yes reports whether the verdict is a yes.
func (j Judgement) Yes() bool { return j.Verdict == "yes" }

// ByIndex returns the judgements of n items by their numbers, which begin with
// 1. Items without one are left out, and so are those judged in two ways. A
// judge that left out all has not answered.
func ByIndex(judgements []Judgement, n int) (map[int]Judgement, error) {
	found := make(map[int]Judgement, n)
	torn := map[int]bool{}
	for _, j := range judgements {
		if j.Index < 1 || j.Index > n {
			continue
		}
		if earlier, twice := found[j.Index]; twice && earlier.Verdict != j.Verdict {
			torn[j.Index] = true
		}
		found[j.Index] = j
	}
	for index := range torn {
		delete(found, index)
	}
	if len(found) == 0 && n > 0 {
		return nil, fault.New(fault.Unusable, "the judge gave no verdict on any item")
	}
	return found, nil
}

// Tally counts the judged items and those with a yes.
func Tally(judgements []Judgement, n int) (yes, all int, err error) {
	found, err := ByIndex(judgements, n)
	for _, j := range found {
		if j.Yes() {
			yes++
		}
	}
	return yes, len(found), err
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

// Numbered lays out items for a judge, with the numbers that ByIndex knows
// them by.
func Numbered(name string, items []string) eval.DataBlock {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = fmt.Sprintf("[%d] %s", i+1, item)
	}
	return eval.DataBlock{Name: name, Text: strings.Join(lines, "\n")}
}
