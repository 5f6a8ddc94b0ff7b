// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

var _ = enter("regex-validator", regexes)

// pythonRegexes is what re.search of CPython says to expressions on texts;
// python_re.py in this directory writes it.
//
//go:embed texts/python_re.jsonl
var pythonRegexes string

// regexes measures how many expressions that Python takes are found in the same
// texts as Python finds them in, under three settings each.
func regexes(b *bench) ([]figure, error) {
	head, rows, _ := strings.Cut(pythonRegexes, "\n")
	var known struct{ Texts []string }
	if err := json.Unmarshal([]byte(head), &known); err != nil {
		return nil, err
	}
	taken, alike, told := 0.0, 0.0, 0.0
	for line := range strings.Lines(rows) {
		var row struct {
			Regex string
			Found []string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, err
		}
		if strings.Join(row.Found, "") == "" {
			continue
		}
		taken++
		same, listed := true, true
		for i, settings := range []map[string]any{{}, {"case_sensitive": false}, {"dot_include_nl": true, "multi_line": true}} {
			settings["regex"] = row.Regex
			got, err := b.found(known.Texts, settings)
			if err != nil {
				return nil, err
			}
			if got != row.Found[i] {
				same = false
				listed = listed && isListed(row.Regex, known.Texts, got, row.Found[i], i == 1)
			}
		}
		if same {
			alike++
		}
		if same || listed {
			told++
		}
	}
	const set = "expressions that Python takes, each on 75 texts"
	return []figure{
		proportion(set, "read as Python's", alike, taken).from(0.95),
		proportion(set, "read as Python's, or otherwise as the description tells", told, taken).from(1),
	}, nil
}

// isListed reports whether the description of the evaluator tells why an expression is
// refused, or found in other texts than by Python.
func isListed(expression string, texts []string, got, want string, ignoringCase bool) bool {
	if got == "" {
		return strings.Contains(expression, "(?a") || strings.Contains(expression, "(?L") || strings.Contains(expression, "(?t")
	}
	ignoringCase = ignoringCase || strings.Contains(expression, "(?i") || strings.Contains(expression, "(?u:") || strings.Contains(expression, "i)")
	edges := strings.Contains(expression, `\b`) || strings.Contains(expression, `\B`)
	back := strings.Contains(expression, `\1`) || strings.Contains(expression, "(?P=")
	for i, text := range texts {
		if i >= len(got) || i >= len(want) || got[i] == want[i] {
			continue
		}
		switch {
		case ignoringCase && strings.ContainsAny(text, "İı"):
		case ignoringCase && back && strings.ContainsAny(text, "σς"):
		case edges && text == "":
		case edges && strings.ContainsAny(text, "\u0301²½Ⅷ"):
		default:
			return false
		}
	}
	return len(got) == len(want)
}

// patientTries is how often an expression is tried that takes too long: the time that it has
// is that of the clock, and other programs may have the processor.
const patientTries = 10

// found returns for each text 1 if an expression is found in it and 0 if not, ""
// where the expression is refused.
func (b *bench) found(texts []string, settings map[string]any) (string, error) {
	var all strings.Builder
	for _, text := range texts {
		got, err := b.ask(text, "is_valid_regex", settings)
		for try := 1; try < patientTries && err != nil && strings.HasSuffix(fault.Message(err), "took too long to match"); try++ {
			got, err = b.ask(text, "is_valid_regex", settings)
		}
		if fault.Is(err, fault.Invalid) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		if got == true {
			all.WriteByte('1')
		} else {
			all.WriteByte('0')
		}
	}
	return all.String(), nil
}
