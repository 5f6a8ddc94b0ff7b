// SPDX-License-Identifier: Apache-2.0

package replies

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sentences are made of each expression at random: none of them is without the words by
// which it is looked at.
func TestNoWayToAbstainIsPassedOver(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, w := range ways {
		e, err := syntax.Parse(w.says.String(), syntax.Perl)
		require.NoError(t, err)
		said := 0
		for range 2000 {
			var b strings.Builder
			b.WriteString("So ")
			write(&b, e, r)
			b.WriteString(".")
			if !w.says.MatchString(b.String()) {
				continue // its boundaries of words were not met
			}
			said++
			require.NotNil(t, abstention(b.String()), b.String())
		}
		require.Greater(t, said, 200)
	}
}

// write writes something that an expression matches, but for what it says of where words
// begin and end.
func write(b *strings.Builder, e *syntax.Regexp, r *rand.Rand) {
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		one := 2 * r.IntN(len(e.Rune)/2)
		if e.Rune[one] == 0 {
			b.WriteString("x")
			return
		}
		b.WriteRune(e.Rune[one])
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range e.Sub {
			write(b, sub, r)
		}
	case syntax.OpAlternate:
		write(b, e.Sub[r.IntN(len(e.Sub))], r)
	case syntax.OpQuest, syntax.OpStar:
		if r.IntN(2) == 0 {
			write(b, e.Sub[0], r)
		}
	case syntax.OpPlus:
		write(b, e.Sub[0], r)
	case syntax.OpRepeat:
		for range e.Min + r.IntN(2) {
			write(b, e.Sub[0], r)
		}
	default: // boundaries
	}
}
