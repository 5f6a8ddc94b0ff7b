// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
)

func TestParsePython(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                              `[]`,
		` ( ) `:                           `[]`,
		`(1)`:                             `1`,
		`(1,)`:                            `[1]`,
		`(1, 'a', )`:                      `[1, "a"]`,
		`{'a': None, "b": [True, False]}`: `{"a": null, "b": [true, false]}`,
		`'it\'s "so"'`:                    `"it's \"so\""`,
		`"it's"`:                          `"it's"`,
		`'\x41\u00e9\U0001F600\n\t\a\q'`:  `"Aé😀\n\t\u0007\\q"`,
		"'a\\\nb'":                        `"ab"`,
		`'\ud800'`:                        `"\ufffd"`,
		`[1, -2, +3, 1.5, .5, -.5, 1., 2.e3, 1e-3, 1_000]`: `[1, -2, 3, 1.5, 0.5, -0.5, 1.0, 2.0e3, 1e-3, 1000]`,
		"{'a':\f1\r\n}": `{"a": 1}`,
	} {
		got, err := ParseLiteral(text)
		require.NoError(t, err, text)
		wanted, err := jsontext.Decode([]byte(want))
		require.NoError(t, err)
		require.Equal(t, wanted, got, text)
	}
}

func TestParsePythonRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `[`, `[1`, `[1 2]`, `{`, `{1: 2}`, `{'a'}`, `{'a': }`, `{'a': 1`, `{'a'`, `'`, `'\`, `'\x4'`, `'\xzz'`,
		`'\UFFFFFFFF'`, "'a\nb'", `true`, `null`, `nan`, `1 2`, `[,]`, `--1`, `1e`, `0x10`, `f()`, `[1], 2`, `(1`, `_`,
		`__import__('os')`, strings.Repeat("[", 1_000_000), strings.Repeat("(", 70) + strings.Repeat(")", 70),
	} {
		_, err := ParseLiteral(text)
		require.Error(t, err, text[:min(len(text), 40)])
	}
}

func FuzzParsePython(f *testing.F) {
	f.Add(`[{'name': 'search', 'input': {'query': "it's", 'n': 1.5, 'ok': True, 'x': None}}]`)
	f.Add(`(1, '\x41\u00e9', )`)
	f.Add("{'\xff': '\x00'}")
	f.Fuzz(func(t *testing.T, text string) {
		value, err := ParseLiteral(text)
		if err != nil {
			return
		}
		// What was read is JSON, and comes back as itself.
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		again, err := jsontext.Decode(encoded)
		require.NoError(t, err)
		require.Equal(t, value, again)
	})
}
