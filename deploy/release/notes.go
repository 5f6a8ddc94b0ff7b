// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"
)

// notes returns what a changelog says of a version, without its heading: changelogs as
// https://keepachangelog.com/en/1.1.0/ describes them.
func notes(changelog, version string) (string, error) {
	heading := regexp.MustCompile(`(?m)^## \[?` + regexp.QuoteMeta(version) + `\]?( .*)?$`).FindStringIndex(changelog)
	if heading == nil {
		return "", fmt.Errorf("there is no section %q", "## "+version)
	}
	section := changelog[heading[1]:]
	if next := regexp.MustCompile(`(?m)^## `).FindStringIndex(section); next != nil {
		section = section[:next[0]]
	}
	if section = strings.TrimSpace(section); section == "" {
		return "", fmt.Errorf("the section %q is empty", "## "+version)
	}
	return section, nil
}
