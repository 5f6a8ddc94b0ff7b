// SPDX-License-Identifier: Apache-2.0

// Package pools has texts and evaluations of small pools, so that filters match by
// chance.
package pools

import "math/rand/v2"

// Texts are the texts that spans and filters share.
var Texts = []string{
	"", "a", "b", "ab", "A", "%", "_", "a%", `\`, `'`, `"`, "é", "1", "2", "10", "1.5", "-1", "1e1", "NaN", "0x1", " 1", "a\x00b", "\U0001F600",
	"a longer text that does not fit", "a longer text that does not", "10000", "1000",
}

// Keys are those of their attributes.
var Keys = []string{"k1", "k2", "k.3", "'k", "llm.vendor", "llm.usage.total_tokens", "traceloop.workflow.name", "gen_ai.system"}

// Messages are the keys of prompts and completions.
var Messages = []string{"llm.prompts.0.content", "llm.prompts.0.role", "llm.prompts.1.content", "llm.completions.0.content", "llm.completions.0.role"}

// Pick returns one of some texts.
func Pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
