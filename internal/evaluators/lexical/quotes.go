// SPDX-License-Identifier: Apache-2.0

package lexical

import "regexp"

// quoted is what stands in quotation marks.
var quoted = regexp.MustCompile("[\"“«][^\"“”«»\\n]*[\"”»]|(?:^|[ (:])'[^'\\n]*'(?:$|[ ).,:])")

// WithoutQuotes returns a text in which an ellipsis stands for what is in quotation
// marks, because another person said it.
func WithoutQuotes(text string) string { return quoted.ReplaceAllString(text, "…") }
