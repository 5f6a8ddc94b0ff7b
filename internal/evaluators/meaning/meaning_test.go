// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

func TestOtherWordsForTheSameCountInPart(t *testing.T) {
	t.Parallel()
	for _, row := range [][3]string{
		{"The physician examined the kid.", "A doctor looked at the child.", "A pilot landed at the airport."},
		{"He purchased an automobile.", "He bought a car.", "He baked a cake."},
		{"Shares of the firm plunged.", "The company's stock fell sharply.", "The orchestra played loudly."},
	} {
		one, same, other := Of(row[0]), Of(row[1]), Of(row[2])
		require.Greater(t, one.CoveredBy(same), one.CoveredBy(other)+0.1, row)
		require.Less(t, one.CoveredBy(same), 0.9, "a near word is no proof")
		require.Greater(t, one.Subject(same), one.Subject(other)+0.2, row)
		require.Greater(t, Likeness(one, same), Likeness(one, other)+0.1, row)
		require.InDelta(t, Likeness(one, same), Likeness(same, one), 1e-6)
	}
}

func TestWordsThatExcludeOneAnotherCountNothing(t *testing.T) {
	t.Parallel()
	for _, row := range [][2]string{
		{"hot", "cold"},
		{"increase", "decrease"},
		{"monday", "tuesday"},
		{"three", "four"},
		{"million", "billion"},
		{"miles", "kilometers"},
		{"Paris", "Lyon"},
		{"1987", "1988"},
		{"guitar", "piano"},
		{"older", "younger"},
	} {
		require.Zero(t, Of(row[0]).CoveredBy(Of(row[1])), row)
	}
	require.Zero(t, Of("We met Anna").CoveredBy(Of("They saw Maria"))-Of("We met").CoveredBy(Of("They saw"))*Of("We met").weight/Of("We met Anna").weight)
	require.Positive(t, Of("hot").CoveredBy(Of("warm")))
	require.Positive(t, Of("purple").CoveredBy(Of("violet")), "they are one colour")
}

func TestTextsOfTheSameStemsAreAlike(t *testing.T) {
	t.Parallel()
	one := Of("The capitals of France: Paris!")
	require.InDelta(t, 1, Likeness(one, Of("paris, the capital of france")), 0)
	require.InDelta(t, 1, one.CoveredBy(one), 1e-9)
	require.InDelta(t, 1, one.Subject(one), 1e-3)
	nothing := Of("?!")
	require.True(t, nothing.Empty())
	require.InDelta(t, 1, nothing.CoveredBy(one), 0)
	require.InDelta(t, 1, Likeness(nothing, Of("")), 0)
	require.Zero(t, Likeness(nothing, one))
	require.Zero(t, nothing.Subject(one))
	require.Zero(t, one.CoveredBy(nothing))
	require.Less(t, Likeness(Of("It sold 14 boats."), Of("It sold 15 boats.")), Likeness(Of("It sold 14 boats."), Of("It sold boats.")))
}

func TestOppositesExcludeOneAnother(t *testing.T) {
	t.Parallel()
	got := opposites()
	require.Greater(t, len(got), 200)
	for one, others := range got {
		for _, other := range others {
			require.NotEqual(t, one, other)
			require.Contains(t, got[other], one)
		}
	}
	require.Equal(t, map[string][]string{"up": {"down"}, "down": {"up"}}, readOpposites("# no\nup | down\nlonely\n"))
	require.Contains(t, Opposites("hot"), "cold")
}

func TestKindsAreRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string][]kind{"june": {{1, 0}}, "jun": {{1, 0}}, "may": {{1, 1}, {2, 0}}}, readKinds("# no\njune/jun may\nmay\n"))
	require.True(t, OfOneKind("june", "may"))
	require.False(t, OfOneKind("june", "june"))
	require.False(t, OfOneKind("june", "monday"))
	require.False(t, OfOneKind("june", "xyzzy"))
}

// Texts without end take time that grows with them and no faster.
func TestVastTextsAreComparedSoon(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for i := range 100_000 {
		word := string([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26)})
		a.WriteString(word + " ")
		b.WriteString(word + "s ")
	}
	require.Less(t, usage.Took(func() { Likeness(Of(a.String()), Of(b.String())) }), 5*time.Second)
}

func FuzzLikeness(f *testing.F) {
	f.Add("It's 3.14 — 法国 \xff\x00", "the capital of France")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Of(a), Of(b)
		for _, n := range []float64{Likeness(x, y), x.CoveredBy(y), y.CoveredBy(x), x.Subject(y), x.Cosine(y)} {
			require.True(t, n >= 0 && n <= 1)
		}
		require.InDelta(t, 1, Likeness(x, x), 1e-9)
	})
}

func TestTextsAreAboutTopics(t *testing.T) {
	t.Parallel()
	egg, invoice := Of("Put the egg into boiling water for six minutes."), Of("The second payment will be returned to your card.")
	cooking, refunds := Of("cooking"), Of("billing, refunds")
	require.Greater(t, egg.About(cooking), 0.5)
	require.Greater(t, invoice.About(refunds), 0.5)
	require.Less(t, egg.About(refunds), 0.3)
	require.Less(t, invoice.About(cooking), 0.3)
	for _, nothing := range []string{"", "the", "xqzt", "42"} {
		require.Zero(t, egg.About(Of(nothing)), nothing)
		require.Zero(t, Of(nothing).About(cooking), nothing)
	}
}
