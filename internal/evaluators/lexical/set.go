// SPDX-License-Identifier: Apache-2.0

package lexical

import "strings"

// SetOf returns the words of a text that white space separates, as they are.
func SetOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
