// SPDX-License-Identifier: Apache-2.0

package span

import "strings"

// MessageKey returns the key under which prompts or completions hold an indexed
// message key of either spelling.
func MessageKey(key string) (string, bool) {
	for _, spelling := range [...]struct{ sent, stored string }{
		{"llm.prompts.", "llm.prompts."},
		{"gen_ai.prompt.", "llm.prompts."},
		{"llm.completions.", "llm.completions."},
		{"gen_ai.completion.", "llm.completions."},
	} {
		rest, found := strings.CutPrefix(key, spelling.sent)
		if !found {
			continue
		}
		index, suffix, _ := strings.Cut(rest, ".")
		if index != "" && suffix != "" && strings.Trim(index, "0123456789") == "" {
			return spelling.stored + rest, true
		}
	}
	return "", false
}
