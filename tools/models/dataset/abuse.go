// SPDX-License-Identifier: Apache-2.0

package dataset

import (
	"strconv"
	"strings"
)

// Davidson returns tweets labelled hate, offensive or neither.
func Davidson(dir string) ([]Row, error) {
	names := map[string]string{"0": "hate", "1": "offensive", "2": "neither"}
	var rows []Row
	seen := map[string]bool{}
	err := table(dir, "davidson-hate-offensive/labeled_data.csv", func(column func(string) string) error {
		text := column("tweet")
		if !seen[text] {
			seen[text] = true
			rows = append(rows, Row{Text: text, Label: names[column("class")]})
		}
		return nil
	})
	return rows, err
}

// EDOS returns comments labelled sexist or not sexist, of the official split
// train, dev or test.
func EDOS(dir, split string) ([]Row, error) {
	var rows []Row
	err := table(dir, "edos-sexism/edos_labelled_aggregated.csv", func(column func(string) string) error {
		if column("split") == split {
			rows = append(rows, Row{Text: column("text"), Label: column("label_sexist")})
		}
		return nil
	})
	return rows, err
}

// SurgeToxicity returns comments labelled Toxic or Not Toxic.
func SurgeToxicity(dir string) ([]Row, error) {
	var rows []Row
	err := table(dir, "surge-toxicity/toxicity_en.csv", func(column func(string) string) error {
		rows = append(rows, Row{Text: column("text"), Label: column("is_toxic")})
		return nil
	})
	return rows, err
}

// HateCheck returns test sentences labelled hateful or non-hateful, grouped by
// what they test.
func HateCheck(dir string) ([]Row, error) {
	var rows []Row
	err := table(dir, "hatecheck/test_suite_cases.csv", func(column func(string) string) error {
		rows = append(rows, Row{Text: column("test_case"), Label: column("label_gold"), Group: column("functionality")})
		return nil
	})
	return rows, err
}

// Term is an entry of the lexicon of profanity.
type Term struct {
	Text     string
	Category string
	Root     string  // the word that it is made from, in lower case
	Severity float64 // 1 mild to 3 severe
}

// Profanity returns the lexicon.
func Profanity(dir string) ([]Term, error) {
	var terms []Term
	err := table(dir, "surge-profanity-lexicon/profanity_en.csv", func(column func(string) string) error {
		severity, err := strconv.ParseFloat(column("severity_rating"), 64)
		if err != nil {
			return err
		}
		terms = append(terms, Term{Text: column("text"), Category: column("category_1"), Root: strings.ToLower(column("canonical_form_1")), Severity: severity})
		return nil
	})
	return terms, err
}
