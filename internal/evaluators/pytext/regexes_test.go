// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// What re.search of Python finds in these texts.
func TestRegexesReadAsPythonReadsThem(t *testing.T) {
	t.Parallel()
	known := NewRegexes()
	for _, row := range []struct {
		expression, text string
		want             bool
	}{
		{`foo$`, `foo\n`, false},
		{`foo$`, `foo\nx`, false},
		{`foo\Z`, `foo\n`, false},
		{`foo\Z`, `foo`, true},
		{`^\w+$`, `né`, true},
		{`^\d+$`, `٣`, true},
		{`\bé\b`, `é`, true},
		{`(?P<a>x)(?P=a)`, `xx`, true},
		{`(?P<a>x)(?P=a)`, `xy`, false},
		{`^a{,2}b$`, `aab`, true},
		{`^a{,2}b$`, `aaab`, false},
		{`^a{,2}b$`, `a{,2}b`, false},
		{`^a{,}b$`, `aaab`, true},
		{`^a{2,}b$`, `ab`, false},
		{`^x{y}$`, `x{y}`, true},
		{`^x{$`, `x{`, true},
		{`^x{1,a}$`, `x{1,a}`, true},
		{`(?<=a)b`, `ab`, true},
		{`(?<!a)b`, `ab`, false},
		{`a(?=b)`, `ac`, false},
		{`(?>a+)ab`, `aaab`, false},
		{`a++b`, `aaab`, true},
		{`a++ab`, `aaab`, false},
		{`^[a-z-[aeiou]$`, `[`, true},
		{`^[[]$`, `[`, true},
		{`^[]a]+$`, `]a`, true},
		{`^[^]a]$`, `b`, true},
		{`^[^]a]$`, `]`, false},
		{`[\]]`, `]`, true},
		{`[\d]+`, `5`, true},
		{`^[\b]$`, "\b", true},
		{`(?i)ABC`, `abc`, true},
		{`(?u)a`, `a`, true},
		{`(?iu)A`, `a`, true},
		{`(?s).`, "\n", true},
		{`.`, "\n", false},
		{`(?m)^b`, "a\nb", true},
		{`^b`, "a\nb", false},
		{`(?i:A)b`, `ab`, true},
		{`(?i:A)b`, `aB`, false},
		{`\U0001F600`, `😀`, true},
		{`\u00e9`, `é`, true},
		{`\xe9`, `é`, true},
		{`\N{BULLET}`, "\u2022", true},
		{`\N{bullet}`, "\u2022", true},
		{`[\N{HYPHEN}\N{HYPHEN-MINUS}]`, `-`, true},
		{`\N{LEFT CURLY BRACKET}`, `{`, true},
		{`\U0000002A`, `*`, true},
		{`(a)|(b)\2`, `bb`, true},
		{`(a)?(?(1)b|c)$`, `ab`, true},
		{`(a)?(?(1)b|c)$`, `c`, true},
		{`(?#note)a`, `a`, true},
		{`\A\s+\Z`, "\u001c", true},
		{`\s`, "\u00a0", true},
		{`\S`, "\u200b", true},
		{`^.$`, `😀`, true},
		{`\.`, `a`, false},
		{`\{`, `{`, true},
		{`{`, `{`, true},
		{`}`, `}`, true},
		{`]`, `]`, true},
		{`a|b`, `b`, true},
		{`(|a)b`, `b`, true},
		{`\t`, "\t", true},
		{`ß`, `SS`, false},
		{`(?i)ß`, `SS`, false},
		{`(?i)é`, `É`, true},
		{`(?i)K`, "\u212a", true},
		{`[^\W\d_]+`, `ab`, true},
		{`[\w.+-]+@[\w-]+\.[\w.]+`, `a.b+c@d-e.fr`, true},
		{`^(?:\+\d{1,3} )?\d{3}-\d{4}$`, `+49 555-1234`, true},
		{`\0`, "\u0000", true},
		{`\012`, "\n", true},
		{`[a&&b]`, `&`, true},
		{`[a||b]`, `c`, false},
		{`\#`, `#`, true},
		{`\ `, ` `, true},
		{`\-`, `-`, true},
		{`\_`, `_`, true},
		{`\/`, `/`, true},
		{`\'`, `'`, true},
	} {
		got, err := known.Found("regex", row.expression, Flags{CaseSensitive: true}, row.text)
		require.NoError(t, err, row.expression)
		require.Equal(t, row.want, got, "%q in %q", row.expression, row.text)
	}
}

func TestRegexesThatAreNone(t *testing.T) {
	t.Parallel()
	known := NewRegexes()
	for _, expression := range []string{
		`(a`, `a)`, `[a`, `*a`, `a**`, `(?P<1a>x)`, `(?P=none)`, `(?P=`, `(?P<a`, `a{3,2}`, `(?<=`, `[z-a]`, "\\",
		`\N`, `\N{`, `\N{NO SUCH}`, `\N{<control>}`, `\N{}`, `\U12`, `\U0011FFFF`, `\UXXXXXXXX`, `(?a)x`, `(?L)x`, `(?ai:x)`,
		strings.Repeat("a", maxRegex+1), strings.Repeat(`\N{BULLET}`, maxRegexNames+1),
	} {
		_, err := known.Get("config.regex", expression, Flags{})
		require.True(t, fault.Is(err, fault.Invalid), expression)
		require.True(t, strings.HasPrefix(fault.Message(err), "config.regex "), fault.Message(err))
	}
}

func TestPlacesOfMatches(t *testing.T) {
	t.Parallel()
	known := NewRegexes()
	found := func(expression, text string) (got []string) {
		find, err := known.Finder("config.regex", expression, Flags{CaseSensitive: true}, time.Minute)
		require.NoError(t, err)
		require.NoError(t, find(text, func(start, end int) bool {
			got = append(got, text[start:end])
			return len(got) < 3
		}))
		return got
	}
	require.Equal(t, []string{"AB-1", "CD-2"}, found(`[A-Z]{2}-\d`, "é AB-1, \xff €CD-2 ab-3"))
	require.Equal(t, []string{"a", "a", "a"}, found(`a`, "aaaaa"))
	require.Equal(t, []string{"b"}, found(`b?`, "aba"))
	require.Empty(t, found(`x`, "aba"))

	_, err := known.Finder("config.regex", "(a", Flags{}, time.Minute)
	require.True(t, fault.Is(err, fault.Invalid))
	slow, err := known.Finder("config.regex", "(a+)+$", Flags{}, time.Millisecond)
	require.NoError(t, err)
	err = slow(strings.Repeat("a", 40)+"b", func(int, int) bool { return true })
	require.Equal(t, "config.regex took too long to match", fault.Message(err))
}

func FuzzTranslatePython(f *testing.F) {
	for _, expression := range []string{`(?P<a>x)(?P=a){,2}\Z`, `[[\]]`, `(?iu:\U0001F600)\N{BULLET}`, `[^]\s]\S`} {
		f.Add(expression, "text")
	}
	known := NewRegexes()
	f.Fuzz(func(t *testing.T, expression, text string) {
		_, err := known.Found("config.regex", expression, Flags{}, text)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			require.Less(t, len(fault.Message(err)), 300)
		}
	})
}

func TestKeptRegexesAreBounded(t *testing.T) {
	t.Parallel()
	known := NewRegexes()
	for i := range 2 * cachedRegexes {
		_, err := known.Get("regex", "a{"+strings.Repeat("1", 1+i%3)+"}"+strings.Repeat("b", i), Flags{})
		require.NoError(t, err)
	}
	require.Equal(t, cachedRegexes, known.small.Len())
	known.small.Purge()
	_, err := known.Get("regex", strings.Repeat("a", maxCachedRegex+1), Flags{})
	require.NoError(t, err)
	require.Zero(t, known.small.Len())
}
