// SPDX-License-Identifier: Apache-2.0

// Package pii finds personal information that has a form: what has a checksum
// or a valid domain scores 1, what only has a form less, and more if a word that
// tells what it is stands near.
package pii

// Kinds returns every kind that is known, the surest first.
func Kinds() []string {
	var kinds []string
	for _, r := range recognizers {
		kinds = append(kinds, r.entity)
	}
	return kinds
}

// Found returns the kinds that a text holds with a score, from 0 to 1, of at
// least the threshold. Wanted are the kinds to look for; nil is all of them.
func Found(text string, threshold float64, wanted map[string]bool) []string {
	return newScan(text, threshold).run(wanted)
}
