// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSexism(t *testing.T) {
	t.Parallel()
	for text, safe := range map[string]bool{
		"":   true,
		"ok": true,
		"Women are too stupid to vote, they should stay in the kitchen.": false,
		"wоmen bеlong in thе kitсhen and should obey men":                false,
		"How many women work in medicine?":                               true,
		"The pay gap between women and men grew smaller in 2020.":        true,
		"My sister is a pilot.":                                          true,
	} {
		require.Equal(t, safe, firstOutput(t, "sexism-detector", text, nil), text)
	}
	text := "Women are bad drivers."
	require.Equal(t, true, firstOutput(t, "sexism-detector", text, map[string]any{"threshold": 1}))
	require.Equal(t, false, firstOutput(t, "sexism-detector", text, map[string]any{"threshold": 0}))
}

// What is said of women at large is contempt where its words are, whatever the sex.
func TestPlainStatementsAboutWomenAreSafe(t *testing.T) {
	t.Parallel()
	for text, safe := range map[string]bool{
		"Women are capable of great things.":                        true,
		"Women are less likely to be promoted.":                     true,
		"Women are paid less than men for the same work.":           true,
		"Women have fought hard for equality.":                      true,
		"Women have equal rights under the constitution.":           true,
		"Women are too fragile for politics.":                       false,
		"All women are gold diggers.":                               false,
		"Women belong in the bedroom.":                              false,
		"No woman should command a ship.":                           false,
		"Real women obey.":                                          false,
		"Feminists are just ugly women who can't get a man.":        false,
		"Female bosses are always on their period.":                 false,
		"A woman's job is to please her man.":                       false,
		"Women are bad drivers. Women are capable of great things.": false,
	} {
		require.Equal(t, safe, firstOutput(t, "sexism-detector", text, nil), text)
	}
}

func TestOnlyShortStatementsAreDoubted(t *testing.T) {
	t.Parallel()
	model := func(text string) float64 { return sexismModel().Probability(text) }
	plain := "Women are strong"
	of, _ := ofPeople(plain)
	require.InDelta(t, logOdds(model(plain))-plainShare*(plainOdds-logOdds(model(of))), logOdds(sexism(plain)), 1e-9)
	require.Less(t, sexism(plain), model(plain))
	even := "Women are capable of great things"
	require.Greater(t, model(even), 0.5)
	require.InDelta(t, leastOdds, logOdds(sexism(even)), 1e-9, "no further than that")
	harmless := "Women meet on Monday"
	require.Less(t, model(harmless), 0.4)
	require.InDelta(t, model(harmless), sexism(harmless), 1e-9, "what is not likely is left as it is")
	for _, text := range []string{
		plain + ". They do.",
		plain + "\nand so do I",
		plain + "... what next",
		plain + strings.Repeat(" as I said", 20),
		"She is strong.",
		"",
	} {
		require.InDelta(t, model(text), sexism(text), 0, text)
	}
}

func TestOfPeople(t *testing.T) {
	t.Parallel()
	of, changed := ofPeople("WOMEN's choirs, a Lady and her husband, not womanly manners.")
	require.True(t, changed)
	require.Equal(t, "people's choirs, a person and her person, not womanly manners.", of)
	of, changed = ofPeople("men")
	require.True(t, changed)
	require.Equal(t, "people", of)
	for _, text := range []string{"She sings.", "", "womén, man2, granddaughters and boyfriends"} {
		of, changed = ofPeople(text)
		require.False(t, changed, text)
		require.Equal(t, text, of)
	}
}

func BenchmarkSexism(b *testing.B) {
	benchmarkText(b, func(text string) { sexism(text) })
}
