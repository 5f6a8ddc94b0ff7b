// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// report returns the names of all parts with their licences, and then what each part's
// files say, each text once.
func report(parts []part) string {
	var b strings.Builder
	b.WriteString("What is linked into Touchstone, and under which licences (https://spdx.org/licenses/).\n\n")
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(&b, "%s %s: %s", p.Name, p.Version, strings.Join(p.Licences, " AND "))
		if p.Within != "" {
			fmt.Fprintf(&b, " (within %s)", p.Within)
		}
		b.WriteByte('\n')
	}
	of := map[string][]string{}
	var order []string
	for i := range parts {
		for _, t := range parts[i].Texts {
			if of[t.content] == nil {
				order = append(order, t.content)
			}
			of[t.content] = append(of[t.content], fmt.Sprintf("%s %s: %s", parts[i].Name, parts[i].Version, t.file))
		}
	}
	for _, content := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[content], "\n"), strings.TrimSpace(content))
	}
	return b.String()
}
