// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// maxItems is how many statements, goals or topics of one text are judged.
const maxItems = 50

// judgement is a judge's verdict on one numbered item.
type judgement struct {
	Index   int    `json:"index"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

func (j judgement) yes() bool { return j.Verdict == "yes" }

// byIndex returns the judgements of n items by their numbers, which begin with
// 1. Items without one are left out, and so are those judged in two ways. A
// judge that left out all has not answered.
func byIndex(judgements []judgement, n int) (map[int]judgement, error) {
	found := make(map[int]judgement, n)
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

// tallyVerdicts counts the judged items and those with a yes.
func tallyVerdicts(judgements []judgement, n int) (yes, all int, err error) {
	found, err := byIndex(judgements, n)
	for _, j := range found {
		if j.yes() {
			yes++
		}
	}
	return yes, len(found), err
}

// usable returns the items that say something, each on one line so that none can
// pass for two, and not more than are judged.
func usable(items []string) []string {
	var kept []string
	for _, item := range items {
		if item = strings.Join(strings.Fields(item), " "); item != "" && len(kept) < maxItems {
			kept = append(kept, item)
		}
	}
	return kept
}

// numbered lays out items for a judge, with the numbers that byIndex knows
// them by.
func numbered(name string, items []string) eval.DataBlock {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = fmt.Sprintf("[%d] %s", i+1, item)
	}
	return eval.DataBlock{Name: name, Text: strings.Join(lines, "\n")}
}

// share is part/whole held between 0 and 1, and 0 of nothing.
func share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, float64(part)/float64(whole)))
}

// unit holds a number that a judge gave between 0 and 1.
func unit(n float64) float64 { return min(1, max(0, n)) }
