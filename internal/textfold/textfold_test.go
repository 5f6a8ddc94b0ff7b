// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestDisguises(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"4111\u200b1111\u200c1111\u20601111":         "4111111111111111",
		"\ufeffpass\u00adword":                       "password",
		"\u202eabc\u202c \u2066x\u2069":              "abc x",
		"a\u00a0b\u202fc\u2009d\u3000e":              "a b c d e",
		"078\u201105\u20131120 \u2212 \u2014":        "078-05-1120 - -",
		"ｐａｓｓ＠ｅｘａｍｐｌｅ．ｃｏｍ １２３":                       "pass@example.com 123",
		"𝐩𝐚𝐬𝐬 ⓟⓐⓢⓢ ﬁne ᴘᴀss 🅿":                       "pass pass fine pass P",
		"jоhn@ехample.com pаsswоrd":                  "john@example.com password",
		"αdmin Αdmin":                                "admin Admin",
		"“quoted” ‘it’s’ …":                          `"quoted" 'it's' ...`,
		"cafe\u0301 o\u0308 e\u0302\u0301":           "café ö ế",
		"p\u0335a\u0336s\u0337s":                     "pass",
		"1\ufe0f\u20e32":                             "12",
		"\U000e0068\U000e0069":                       "hi",
		"٠١٢ ۳ ४":                                    "012 3 4",
		"john&#64;example&period;com &#x41;&nbsp;b":  "john@example.com A b",
		`"\u0041\ud83d\ude00\n\"\/"`:                 "\"A😀\n\"/\"",
		`\u{1F600}\x41\U00000042`:                    "😀AB",
		"john%40example.com%20%C3%A9%E2%80%8Bx":      "john@example.com éx",
		"call+me+at+%2B49+30 a+b":                    "call me at +49 30 a+b",
		"%2B49%2030 1+2":                             "+49 30 1+2",
		"a&amp;#64;b %2541 \\\\u0041":                "a@b A A",
		"\u0430&#x430;dmin":                          "aadmin",
		"the \u0441\u043e\u0440\u0443 of everything": "the copy of everything",
	} {
		require.Equal(t, want, Fold(text).Text, "%+q", text)
	}
}

func TestWhatIsNoDisguiseStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain text, 100% of it & more", "Привет, как дела? Сто рост", "рост см", "the егн of a citizen", "Καλημέρα κόσμε", "значение α и β", "the angle α",
		"naïve façade Straße Łódź đồng", "日本語 テキスト 한국어", "नमस्ते क्\u200dष", "ประจำตัว", "نوشته\u200cها", "👩\u200d👩\u200d👧 ❤\ufe0f", "x² ½ Acme™ 5µm",
		"\xff\xfe\x80", "a\xe2\x80", "50%", "%zz %4", "a\\qb", "&unknown; &; &#; &#x110000; &#0;", `\ud83d \u12 \x4`, "%00 %ff%fe", "a + b",
	} {
		folded := Fold(text)
		require.Equal(t, text, folded.Text, "%+q", text)
		low, high := folded.Span(0, len(text))
		require.Equal(t, [2]int{0, len(text)}, [2]int{low, high})
	}
}

func TestCharactersLeaveEscapesAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, `C:\new %41 &amp; b`, Characters("C:\\new %41 &amp;\u00a0b").Text)
}

func TestSpansPointIntoTheOriginal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, find, want string }{
		{"x \u200b4111\u200b1111\u200b y", "41111111", "4111\u200b1111"},
		{"at jоhn@ехample.com.", "john@example.com", "jоhn@ехample.com"},
		{"a john&#64;b.com c", "@b", "&#64;b"},
		{"a john&#64;b.com c", "john", "john"},
		{"cafe\u0301s", "é", "e\u0301"},
		{"…x", ".", "…"},
		{`{"a":"\u0022x\u0022"}`, `"x"`, `\u0022x\u0022`},
		{"a%2540b", "@", "%2540"},
		{"\u200bword\u200b", "word", "word"},
	} {
		folded := Fold(row.text)
		at := strings.Index(folded.Text, row.find)
		require.GreaterOrEqual(t, at, 0, folded.Text)
		low, high := folded.Span(at, at+len(row.find))
		require.Equal(t, row.want, row.text[low:high])
	}
	low, high := Fold("\u200ba\u200b").Span(0, 0)
	require.Equal(t, low, high)
}

func TestBlocksOfBase64(t *testing.T) {
	t.Parallel()
	const secret = "Call Ada on +49 30 1234567 or write to ada@example.com, please: it is urgent, she says."
	std := base64.StdEncoding.EncodeToString([]byte(secret))
	for name, block := range map[string]string{
		"standard":   std,
		"raw":        strings.TrimRight(std, "="),
		"url":        base64.URLEncoding.EncodeToString([]byte(secret)),
		"lines":      std[:64] + "\n" + std[64:],
		"of windows": std[:76] + "\r\n" + std[76:],
		"twice":      base64.StdEncoding.EncodeToString([]byte("see " + std)),
		"url coded":  url.QueryEscape(std),
		"escapes":    base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(secret, "@", "&#64;"))),
	} {
		text := "key=" + block + ", she said"
		views := Views(text)
		found := false
		for _, view := range views[1:] {
			if at := strings.Index(view.Text, "ada@example.com"); at >= 0 {
				low, high := view.Span(at, at+5)
				require.Equal(t, block, text[low:high], name)
				found = true
			}
		}
		require.True(t, found, name)
	}
	for _, text := range []string{"internationalization of everything", "/usr/local/share/applications/text", strings.Repeat("A", 400), strings.Repeat("ab", 10)} {
		require.Len(t, Views(text), 1, text)
	}
}

// check compares what Fold says with what it promises of every text.
func check(t *testing.T, text string) {
	for _, view := range append(Views(text), Fold(text)) {
		require.True(t, utf8.ValidString(view.Text) || !utf8.ValidString(text))
		last := 0
		for i := 0; i < len(view.Text); i++ {
			low, high := view.Span(i, i+1)
			require.True(t, last <= low && low < high && high <= len(text), "%q %q byte %d: %d to %d", text, view.Text, i, low, high)
			last = low
		}
		low, high := view.Span(0, len(view.Text))
		require.True(t, low >= 0 && low <= high && high <= len(text))
		end, _ := view.Span(len(view.Text), len(view.Text))
		require.LessOrEqual(t, end, len(text))
	}
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{
		"a\u200bb %41%C3%A9 &amp;#64; \\u0041 ｘ рasswоrd e\u0301\u0301 \xff", "Y2FsbCBtZSBtYXliZSwgYWRhQGV4YW1wbGUuY29t", "\\ud83d\\ude00+%2b ﬁ\u0301 \U000e0041",
	} {
		f.Add(text)
	}
	f.Fuzz(check)
}

// hostile are texts that cost the most, by what they are made of.
var hostile = map[string]string{
	"plain": "The quick brown fox jumps over the lazy dog. ", "zero width": "a\u200b", "entities": "&eacute;&#64;", "no entities": "&a;&b", "percent": "%C3%A9%zz+",
	"escapes": `\u0041\"`, "no escapes": `\xzz\u00`, "marks": "e\u0301\u0301", "look-alikes": "pаy ", "words of them": "ррр ", "Russian": "Привет мир ", "full width": "ａｂ", "styled": "𝐚",
	"base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoK", "short blocks": "QUJDREVGR0hJSktM ", "nested": "%2541", "amps": "&amp;amp;", "Chinese": "日本語", "joined": "а&#x61;", "stars": "α&",
}

func BenchmarkFold(b *testing.B) {
	for name, part := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			text := strings.Repeat(part, 1<<20/len(part))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Views(text)
			}
		})
	}
	b.Run("1KB", func(b *testing.B) {
		text := strings.Repeat(hostile["plain"], 22)
		b.ReportAllocs()
		for b.Loop() {
			Views(text)
		}
	})
}

func TestHostileTextsKeepTheirOffsets(t *testing.T) {
	t.Parallel()
	for name, part := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, strings.Repeat(part, 2000/len(part)))
		})
	}
}
