// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// Every place of every word is found, in each other and at the end of each other, with
// bytes of all values.
func TestWordsAreFoundWhereTheyStand(t *testing.T) {
	t.Parallel()
	type found struct{ start, word int }
	r := rand.New(rand.NewPCG(3, 4))
	letters := []string{"a", "b", "ab", "ba", "\x00", "\xff", "é"}
	text := func(most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	for range 2000 {
		var list []string
		for range r.IntN(12) {
			if word := text(5); !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
		searched := text(60)
		var want, got []found
		for k, word := range list {
			for i := range len(searched) {
				if strings.HasPrefix(searched[i:], word) {
					want = append(want, found{i, k})
				}
			}
		}
		w := newWords(list)
		w.walk([]byte(searched), func(start, word int) bool {
			got = append(got, found{start, word})
			return true
		})
		require.ElementsMatch(t, want, got, "%q in %q", list, searched)
		require.Equal(t, len(want) > 0, w.in(searched))
	}
	var all []string
	for b := range 256 {
		all = append(all, string([]byte{byte(b)}))
	}
	w := newWords(all)
	for b := range 256 {
		require.True(t, w.in(all[b]))
	}
	require.False(t, w.in(""))
}

// What the library takes for no secret because of a word in it, the search does.
func TestStopWordsAreHarmless(t *testing.T) {
	t.Parallel()
	written := readLeakRules(t)
	var list []string
	for i := range written.Rules {
		if rule := &written.Rules[i]; rule.ID == genericRule {
			for _, allowed := range rule.Allowlists {
				list = append(list, allowed.StopWords...)
			}
		}
	}
	require.Greater(t, len(list), 1000)
	known, err := written.Translate()
	require.NoError(t, err)
	whole := detect.NewDetector(known)
	search, err := newLeakRules()
	require.NoError(t, err)
	text := func(word string) string { return `my_creds = "q7Xv2` + word + `9Zk4wB8r1"` }
	more, err := search.find(t.Context(), text(""), stop)
	require.NoError(t, err)
	require.False(t, more)
	harmless := 0
	for _, word := range append(list, "kept", "SAMPLE", "Q0q0") {
		none := len(whole.DetectContext(t.Context(), detect.Fragment{Raw: text(word)})) == 0 //nolint:staticcheck // as in the search
		more, err := search.find(t.Context(), text(word), stop)
		require.NoError(t, err)
		require.Equal(t, none, more, word)
		if none {
			harmless++
		}
	}
	require.Greater(t, harmless, 1000)
	require.Less(t, harmless, len(list)+3)
}

// The words with which a value is no secret, and the keywords of all rules, take little:
// each sidecar has them.
func TestWordsTakeLittleMemory(t *testing.T) {
	t.Parallel()
	search, err := newLeakRules()
	require.NoError(t, err)
	require.Less(t, 2*len(search.words.next), 500_000)
	written := readLeakRules(t)
	require.Less(t, 2*len(takeStopWords(&written)[genericRule].next), 1_000_000)
}
