// SPDX-License-Identifier: Apache-2.0

package dataset

import "strings"

// Names returns the first and last names of people, in lower case.
func Names(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	for _, file := range []string{"dist.all.last", "dist.female.first", "dist.male.first"} {
		text, err := read(dir, "us-census-names/"+file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if name, _, ok := strings.Cut(line, " "); ok {
				names[strings.ToLower(name)] = true
			}
		}
	}
	return names, nil
}
