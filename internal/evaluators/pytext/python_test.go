// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// otherThanPython are the expressions that Python takes and that are read in another way.
var otherThanPython = []string{
	`\b`, `\B`, `\b[A-Z]\w*\b`, // the engine's boundaries count signs such as ² out of words, and combining marks in; \B is found in an empty text
	`(?i)I`, `(?i)i`, `[^\x00-\x7f]`, `^[\x00-\x7f]+$`, `^[a-z0-9]+(?:[._-][a-z0-9]+)*$`, `^[A-Z]{1,3}$`, `^[A-Za-z_]\w*$`, // Python takes the Turkish İ and ı for other cases of i
	`(\w)\1`, `(\w)(?=\1)`, // when case is ignored, the two small sigmas are one letter to the engine
	`(?a)\w`, `(?a)^\d+$`, `(?a:\w+)\Z`, // refused: the flags a and L are not supported
	`(?t)a`, // refused: a flag that Python has no more since 3.13
}

// beyondPython are the expressions that Python refuses and that are read as .NET does.
var beyondPython = []string{
	`[\w-z]`, `(?<a>b)`, `(?<=a{1,2})b`, `\60`, `^*`, `$*`, `^+`, `\b*`, `(?<=a+)b`, `(?<=ab|b)c`, `(?P<1>a)`, `(?P<x>a)(?P<x>b)`, `(?<x>a)`, `a(?i)b`,
	`\z`, `\G`, `\R`, `\X`, `\p{L}`, `\P{L}`, `\cA`, `\e`, `\Q`, `\400`, `\777`, `[\400]`, `[\d-a]`, `(?'x'a)`, `(?<x>a)\k<x>`,
}

// What CPython says to hundreds of expressions on dozens of texts each is what the
// engine says, but for what is listed.
func TestRegexesOfPython(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../tools/accuracy/texts/python_re.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	var head struct{ Texts []string }
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head))

	known := NewRegexes()
	var other, beyond []string
	for lines.Scan() {
		var row struct {
			Regex string
			Found []string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		differs, refused := false, true
		for i, flags := range []Flags{{CaseSensitive: true}, {}, {CaseSensitive: true, DotIncludesNewline: true, MultiLine: true}} {
			got := ""
			for _, text := range head.Texts {
				found, err := known.Found("regex", row.Regex, flags, text)
				if err != nil {
					got = ""
					break
				}
				if found {
					got += "1"
				} else {
					got += "0"
				}
			}
			differs = differs || got != row.Found[i]
			refused = refused && row.Found[i] == ""
		}
		if differs && refused {
			beyond = append(beyond, row.Regex)
		} else if differs {
			other = append(other, row.Regex)
		}
	}
	require.NoError(t, lines.Err())
	require.ElementsMatch(t, otherThanPython, other)
	require.ElementsMatch(t, beyondPython, beyond)
}
