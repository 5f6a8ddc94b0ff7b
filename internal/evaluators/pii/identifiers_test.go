// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber/idnumbertest"
)

func TestEveryIdentifierIsFoundBesideItsName(t *testing.T) {
	t.Parallel()
	countries := map[string]bool{}
	for _, id := range identifiers {
		if country, _, ok := strings.Cut(id.Name, "_"); ok {
			countries[country] = true
		}
		t.Run(id.Name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			for shape := range strings.FieldsSeq(id.Shapes) {
				number := idnumbertest.Sample(r, &id, shape)
				if number == "" {
					continue // of several shapes one may be as unlikely
				}
				for word := range strings.FieldsSeq(id.Words) {
					text := "They noted " + word + " " + number + " down."
					require.Contains(t, Found(text, 0.8, nil), id.Name, text)
				}
				word, _, _ := strings.Cut(id.Words, " ")
				lower := word + ": " + strings.ToLower(number[:3]) + "-" + number[3:]
				require.Contains(t, Found(lower, 0.8, nil), id.Name, lower)
				if id.Score < 0.8 {
					require.NotContains(t, Found("The order "+number+" was sent.", 0.8, nil), id.Name)
				}
				bare := Found(number, id.Score, map[string]bool{id.Name: true})
				require.Equal(t, []string{id.Name}, bare)
				require.NotEmpty(t, id.Source)
			}
		})
	}
	require.GreaterOrEqual(t, len(countries), 45)
}

func FuzzIdentifiers(f *testing.F) {
	f.Add("CPF 529.982.247-25, 身份证号码11010519491231002X, P.IVA 00743110157")
	f.Fuzz(func(t *testing.T, text string) {
		Find(text, 0, nil, func(m Match) bool {
			require.True(t, m.Start >= 0 && m.Start <= m.End && m.End <= len(text) && m.Score > 0 && m.Score <= 1, "%v", m)
			return true
		})
		require.True(t, utf8.ValidString(text) || len(text) > 0)
	})
}
