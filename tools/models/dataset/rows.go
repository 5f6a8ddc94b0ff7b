// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"encoding/json"
	"strconv"
	"strings"
)

// line is a row of a set that is kept as rows.jsonl, with the columns of all
// such sets.
type line struct {
	Text     string          `json:"text"`
	Label    json.RawMessage `json:"label"`
	Language string          `json:"language"`
	Kind     string          `json:"kind"`
	Source   string          `json:"source"`
	Category string          `json:"category"`
	Format   string          `json:"format"`
	Method   string          `json:"method"`
	Split    string          `json:"split"`
	Identity string          `json:"identity"`
	Labels   []string        `json:"labels"`
	Any      int             `json:"any"`
	Votes    int             `json:"not_toxic_votes"`
	Types    map[string]int  `json:"types"`
	// What makes rows one case.
	Frame    string          `json:"frame"`
	Dialogue json.RawMessage `json:"dialogue"`
	Goal     string          `json:"goal"`
	Title    string          `json:"title"`
	Task     json.RawMessage `json:"task"`
	Matched  string          `json:"matched_text"`
}

// label is the label as text: strings as they are, numbers in digits.
func (l line) label() string {
	var text string
	if json.Unmarshal(l.Label, &text) == nil {
		return text
	}
	return string(l.Label)
}

// group is the case of the row: templates, dialogues, goals, tasks and pairs
// are held out whole.
func (l line) group() string {
	for _, g := range []string{l.Frame, l.Goal, l.Title, string(l.Dialogue), string(l.Task)} {
		if g != "" {
			return g
		}
	}
	if l.Matched != "" {
		return min(l.Text, l.Matched)
	}
	return ""
}

// Set returns the rows of a data set that is kept as rows.jsonl. Kind is what
// the set tells rows apart by: identity, kind, category, source or format.
func Set(dir, name string) ([]Row, error) {
	var rows []Row
	err := lines(dir, name+"/rows.jsonl", func(l line) {
		r := Row{Text: l.Text, Label: l.label(), Language: l.Language, Split: l.Split, Group: l.group(), Labels: l.Labels}
		if name == "bipia-train" {
			r.Group = l.Category // attacks of a kind are much alike
		}
		for _, kind := range []string{l.Identity, l.Kind, l.Category, l.Source, l.Format, l.Method} {
			if kind != "" {
				r.Kind = kind
				break
			}
		}
		if l.Any == 1 {
			r.Labels = append(r.Labels, "any")
		}
		if l.Votes > 0 {
			r.Labels = append(r.Labels, "not toxic "+strconv.Itoa(l.Votes))
		}
		if l.Types["Profane/Obscene"] > 1 {
			r.Labels = append(r.Labels, "obscene")
		}
		rows = append(rows, r)
	})
	return rows, err
}

// Tatoeba returns plain sentences of fourteen languages, English among them,
// each once. A sentence and its translation are of one group.
func Tatoeba(dir string) ([]Row, error) {
	type pair struct {
		Other    string `json:"text_other"`
		English  string `json:"text_en"`
		Language string `json:"language"`
	}
	var rows []Row
	seen := map[string]bool{}
	err := lines(dir, "tatoeba-pairs/rows.jsonl", func(p pair) {
		key := strings.ToLower(p.English)
		rows = append(rows, Row{Text: p.Other, Label: Benign, Language: p.Language, Group: key})
		if !seen[key] {
			seen[key] = true
			rows = append(rows, Row{Text: p.English, Label: Benign, Language: "en", Group: key})
		}
	})
	return rows, err
}

// Attacks returns the attacks of BIPIA alone, by kind: most are harmless where a
// user asks for them.
func Attacks(dir string) ([]Row, error) {
	var rows []Row
	err := lines(dir, "bipia-train/rows-attacks.jsonl", func(l line) {
		if l.Kind == "text" {
			rows = append(rows, Row{Text: l.Text, Label: Injection, Group: l.Category})
		}
	})
	return rows, err
}
