// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	licenseclassifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// allowed are the licences under which something may be linked into what is released
// under Apache-2.0, by their SPDX identifiers.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"PostgreSQL", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}

// mit0 is a licence that the classifier does not know:
// https://spdx.org/licenses/MIT-0.html
//
//go:embed MIT-0.txt
var mit0 []byte

// judge fills in the licences of the parts that have texts. The error names parts that
// have none, or one that is not allowed.
func judge(parts []part) error {
	classifier, err := assets.DefaultClassifier()
	if err != nil {
		return err
	}
	classifier.AddContent("License", "MIT-0", "license.txt", mit0)
	var errs []error
	for i := range parts {
		p := &parts[i]
		for _, t := range p.Texts {
			p.Licences = append(p.Licences, licencesOf(classifier, t.content)...)
		}
		slices.Sort(p.Licences)
		p.Licences = slices.Compact(p.Licences)
		if len(p.Licences) == 0 {
			errs = append(errs, fmt.Errorf("%s %s: no licence was found", p.Name, p.Version))
		}
		for _, id := range p.Licences {
			if !slices.Contains(allowed, id) {
				errs = append(errs, fmt.Errorf("%s %s: the licence %s is not allowed", p.Name, p.Version, id))
			}
		}
	}
	return errors.Join(errs...)
}

// licencesOf returns the SPDX identifiers of the licences that a text has.
func licencesOf(c *licenseclassifier.Classifier, content string) []string {
	var list []string
	for _, m := range c.Match([]byte(content)).Matches {
		if m.MatchType == "License" || m.MatchType == "Header" {
			list = append(list, strings.TrimSuffix(m.Name, ".header"))
		}
	}
	return list
}
