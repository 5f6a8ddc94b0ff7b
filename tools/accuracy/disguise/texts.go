// SPDX-License-Identifier: Apache-2.0

package disguise

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
)

// OfTexts are the ways of hiding whole texts.
var OfTexts = []Way{
	{"zero-width space", func(s string) string { return inside(s, "\u200b") }},
	{"mark of direction", func(s string) string { return inside(s, "\u202d") }},
	{"no-break space", func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }},
	{"no-break hyphen", func(s string) string { return strings.ReplaceAll(s, "-", "\u2011") }},
	{"full width", func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r <= '~' {
				return r - '!' + '！'
			}
			return r
		}, s)
	}},
	{"look-alikes", strings.NewReplacer("a", "а", "e", "е", "o", "о", "p", "р", "c", "с").Replace},
	{"HTML entities", func(s string) string {
		var b strings.Builder
		for _, r := range html.EscapeString(s) {
			if strings.ContainsRune("@.-_:/", r) {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}},
	{"JSON escapes", func(s string) string {
		quoted, err := json.Marshal(map[string]string{"text": s})
		if err != nil {
			return s
		}
		return strings.NewReplacer("@", `\u0040`, "-", `\u002d`).Replace(string(quoted))
	}},
	{"URL encoding", url.PathEscape},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
}

// inside puts a sign between the letters and digits of every word.
func inside(text, sign string) string {
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		b.WriteRune(r)
		if i%4 == 1 && i+1 < len(runes) && isWordRune(r) && isWordRune(runes[i+1]) {
			b.WriteString(sign)
		}
	}
	return b.String()
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
