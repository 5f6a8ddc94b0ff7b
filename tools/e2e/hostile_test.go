// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import "strings"

// hostileTexts are texts that a page which took text for markup, for code or for
// an address would fall for. All are valid UTF-8, since OTLP takes nothing else.
func hostileTexts() []string {
	list := []string{
		`<img src=x onerror="window.pwned=1">`, `"><script>window.pwned=1</script>`, `<svg onload=window.pwned=1>`, `javascript:window.pwned=1`,
		`[click](javascript:window.pwned=1)`, `![x](https://example.com/x.png)`, `{{constructor.constructor("window.pwned=1")()}}`,
		"a\u202eb\u200bc\u0000d", `__proto__`, `constructor`, strings.Repeat("A", 300_000), "\xed\xa0\x80 broken",
		`<iframe srcdoc="<script>parent.pwned=1</script>">`, `data:text/html,<script>window.pwned=1</script>`, `</title><script>window.pwned=1</script>`,
		`{"__proto__":{"pwned":1},"toString":"x"}`, `<style>*{background:url(https://example.com/x)}</style>`, `${window.pwned=1}`,
	}
	for i := range list {
		list[i] = strings.ToValidUTF8(list[i], "?")
	}
	return list
}
