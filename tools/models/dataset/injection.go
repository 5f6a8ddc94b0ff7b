// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"strconv"
	"strings"
)

// Injection is the label of prompts that attack.
const Injection = "injection"

// Deepset returns prompts labelled injection or benign. Rows that share a run of
// words are of one group, since many are other rows put together.
func Deepset(dir string) ([]Row, error) {
	var rows []Row
	err := table(dir, "injection-deepset/deepset_normalized.csv", func(column func(string) string) error {
		label := Benign
		if column("label") == "1" {
			label = Injection
		}
		rows = append(rows, Row{Text: column("text"), Label: label})
		return nil
	})
	group(rows)
	return rows, err
}

// shared is the length of a run of words that makes two rows of one group.
const shared = 5

// group names the groups of rows that share a run of words, directly or
// through others.
func group(rows []Row) {
	parent := make([]int, len(rows))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	first := map[string]int{}
	for i, r := range rows {
		words := strings.Fields(strings.ToLower(r.Text))
		for w := range words {
			run := strings.Join(words[w:min(w+shared, len(words))], " ")
			if w > 0 && len(words)-w < shared {
				break
			}
			if j, ok := first[run]; ok {
				parent[root(i)] = root(j)
			} else {
				first[run] = i
			}
		}
	}
	for i := range rows {
		rows[i].Group = "deepset " + strconv.Itoa(root(i))
	}
}
