// SPDX-License-Identifier: Apache-2.0

// Package wording writes what stands in the reasons of verdicts.
package wording

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// Bounds of a reason: how many calls each part names, and how many runes of a
// name are shown.
const (
	MostItems     = 10
	maxReasonName = 80
)

// Items joins names, or the first few of many.
func Items(names []string) string {
	if len(names) <= MostItems {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:MostItems], ", "), len(names)-MostItems)
}

// Shorten cuts a name for people to read.
func Shorten(name string) string {
	beginning, more := textcut.Characters(name, maxReasonName)
	if more {
		return beginning + "…"
	}
	return beginning
}

// Count returns a number of things that have a name, such as "1 word" and "2 words".
func Count(n int, name string) string {
	if n != 1 {
		name += "s"
	}
	return strconv.Itoa(n) + " " + name
}

// Because puts a judge's reason after what it is about.
func Because(what, reason string) string {
	what, reason = Phrase(what), Phrase(reason)
	if reason == "" {
		return what
	}
	return what + " (" + reason + ")"
}

// Phrase is a sentence on one line and without its last stop, to go into
// another.
func Phrase(sentence string) string {
	return strings.TrimRight(strings.Join(strings.Fields(sentence), " "), ".!?")
}
