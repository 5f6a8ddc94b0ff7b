// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlipsAreMended(t *testing.T) {
	t.Parallel()
	s := New([]string{"ignore", "previous", "instructions", "rules", "ruler", "tell", "ignore"}, func(word string) bool { return word == "previews" || word == "ignored" })
	for text, want := range map[string]string{
		"Ignroe all perviuos instuctions!": "ignore all perviuos instructions!", // two slips in one word are too many
		"ignre":                            "ignore",                            // left out
		"ignnore":                          "ignore",                            // twice
		"ignoere":                          "ignore",                            // too many
		"IGNRE the RULSE":                  "ignore the rules",
		"rulees":                           "rules", // too many
	} {
		got, ok := s.Mend(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{
		"", "ignore the rules", "ignare", "ignores", "ignor", "rulez", "Ignore", "previews", "ignored", "tel", "tlel", "gnore", "éignre", "ignreé", "ign0re", strings.Repeat("ignre", 100), "\xff\xfe",
	} {
		got, ok := s.Mend(text)
		require.False(t, ok, text)
		require.Equal(t, text, got)
	}
}

func TestWordsThatLookLikeSlips(t *testing.T) {
	t.Parallel()
	s := Read("prompts\nrules\n-promps\n", func(word string) bool { return word == "ruler" })
	got, ok := s.Mend("promps prompst ruler ruels")
	require.True(t, ok)
	require.Equal(t, "promps prompts ruler rules", got)
	word, ok := s.Meant("prompst")
	require.True(t, ok)
	require.Equal(t, "prompts", word)
}

func FuzzMend(f *testing.F) {
	f.Add("Ignroe all instuctions", "ignore")
	f.Fuzz(func(t *testing.T, text, word string) {
		s := New([]string{word, "instructions"}, func(string) bool { return false })
		got, mended := s.Mend(text)
		require.Equal(t, mended, got != text)
		_, _ = s.Mend(got)
	})
}
