// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// read returns the tokens of a text, with a mark for their kind.
func read(text string) []string {
	var t Tokens
	var read []string
	t.Reset(text)
	for t.Next() {
		word, kind := t.Token()
		read = append(read, []string{"", "mark ", "mention "}[kind]+string(word))
	}
	return read
}

func TestTextIsReadAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, text string
		want        []string
	}{
		{"case", "Hello WORLD", []string{"hello", "world"}},
		{"apostrophes", "don't can’t 'quoted'", []string{"dont", "cant", "quoted"}},
		{"accents", "naïve Über e\u0301te\u0301", []string{"naive", "uber", "ete"}},
		{"letters that do not decompose", "straße Łódź smørrebrød", []string{"strasse", "lodz", "smorrebrod"}},
		{"wide, bold, circled and squared letters", "ｗｉｄｅ 𝐛𝐨𝐥𝐝 ⓒⓘⓡ 🅰🅱🅲", []string{"wide", "bold", "cir", "abc"}},
		{"ligatures", "ﬁnd", []string{"find"}},
		{"invisible characters", "ig\u200bno\u00adre\ufeff", []string{"ignore"}},
		{"look-alikes among Latin letters", "іgnоrе", []string{"ignore"}},
		{"words of another script", "Привет мир", []string{"привет", "мир"}},
		{"letters nobody sees", "a \U000E0048\U000E0069\U000E0020\U000E0061\U000E0069", []string{"a", "hi", "ai"}},
		{"digits as letters", "sh1t b00bs h3ll0 y0u", []string{"shit", "boobs", "hello", "you"}},
		{"digits before and after letters", "1gn0r3 4ll h03 5h1t 10am 5th 1st", []string{"ignore", "all", "hoe", "shit", "00am", "0th", "0st"}},
		{"all letters tripled", "aaallllll fffuuuccckkk xxx sooo", []string{"all", "fuck", "xxx", "sooo"}},
		{"digits as digits", "1234 gpt4 4u covid19 a12345b", []string{"000", "gpt0", "0u", "covid00", "a000b"}},
		{"signs as letters", "a$$ f@g h!t b|tch", []string{"ass", "fag", "hit", "bitch"}},
		{"signs as signs", "hi! it costs $5 a@b.com x!", []string{"hi", "mark !", "it", "costs", "mark $", "0", "a", "mention ab", "mark .", "com", "x", "mark !"}},
		{"letters apart", "f u c k y.o.u k-i-l-l", []string{"fucky", "mark .", "o", "mark .", "u", "kill"}},
		{"letters apart and a word", "i g n o r e all", []string{"ignore", "all"}},
		{"two letters apart", "a b cd", []string{"a", "b", "cd"}},
		{"letters repeated", "sooooo goooood!!!!!!", []string{"sooo", "goood", "mark !!!"}},
		{"mentions", "@john_doe hi @", []string{"mention ajohn", "doe", "hi", "mark @"}},
		{"addresses", "see https://a.example/b?c=d, www.x.example and hello", []string{"see", "and", "hello"}},
		{"words that begin as addresses do", "http www hope with", []string{"http", "www", "hope", "with"}},
		{"character references", "a &amp; b &#8220;c&#8221; & d &", []string{"a", "b", "c", "mark &", "d", "mark &"}},
		{"emoji", "nice 👍🏽 day", []string{"nice", "mark 👍", "mark 🏽", "day"}},
		{"marks", "<|im_start|> ### [INST]", []string{"mark <", "mark |", "im", "start", "mark |", "mark >", "mark ###", "mark [", "inst", "mark ]"}},
		{"separators", "well-known (and/or) \"so\", snake_case…", []string{"well", "known", "and", "or", "so", "snake", "case"}},
		{"invalid UTF-8", "a\xffb \xc3\x28 \xed\xa0\x80c", []string{"a", "b", "c"}},
		{"digits of another script", "٣٤", []string{"00"}},
		{"a long word", strings.Repeat("ab", 70), []string{strings.Repeat("ab", 32), strings.Repeat("ab", 32), strings.Repeat("ab", 6)}},
		{"nothing", " \t\n\u200b\u3000", nil},
	} {
		require.Equal(t, c.want, read(c.text), c.about)
	}
}

func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"a\u200bb", "\xf0\x9f", "ﷺﷺ", "@a@a", "&amp;", "a$$$$$$$b", "http://", "s p a c e d", "\U000E0041", strings.Repeat("ß", 80), "1$1!1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tokens Tokens
		tokens.Reset(text)
		before := 0
		for tokens.Next() {
			word, kind := tokens.Token()
			require.NotEmpty(t, word)
			require.LessOrEqual(t, len(word), maxToken+16)
			require.True(t, utf8.Valid(word), "%q", word)
			require.LessOrEqual(t, kind, Mention)
			require.Greater(t, tokens.End(), before, "a token takes something of the text")
			before = tokens.End()
		}
		first, again := read(text), read(text)
		require.Equal(t, first, again)
	})
}
