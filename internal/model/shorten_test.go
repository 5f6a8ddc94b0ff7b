// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
)

// filler is about 900 kB of sentences that bear on nothing.
func filler() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "Chapter %d says much of meadows and rivers. ", i)
	}
	return b.String()
}

// Of a long context the judge gets what bears on the other texts, with a mark where the rest
// was, and the verdict says that it is one on a part.
func TestLongTextsAreCutToWhatBearsOnTheOthers(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{MaxInput: 8000}, yes())
	long := filler() + "The museum opened in 1987 in Bonn. " + filler()
	q := question("When did the museum in Bonn open?", long)
	got, err := s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	require.True(t, got.Cut)
	r := s.server.Requests()[0]
	require.Less(t, len(r.Body), 12_000)
	shown, ok := r.Data("context")
	require.True(t, ok)
	require.Less(t, len(shown), 8000)
	require.Greater(t, len(shown), 4000)
	require.Contains(t, shown, "[…] The museum opened in 1987 in Bonn. […]")
	require.True(t, strings.HasPrefix(shown, "Chapter 0 says"), "the beginning stays")
	require.True(t, strings.HasSuffix(shown, "Chapter 19999 says much of meadows and rivers."), "the end stays")
	require.Contains(t, r.Chat().Messages[1].Content, "stands where pieces of a text were left out")
	whole, ok := r.Data("answer")
	require.True(t, ok)
	require.Equal(t, q.Data[0].Text, whole, "short texts stay as they are")
}

func TestTextsThatFitAreNotCut(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1000} {
		s := newSetup(t, model.Limits{}, model.JudgeSettings{MaxInput: limit}, yes())
		got, err := s.judge.Judge(t.Context(), question(strings.Repeat("a", 500), strings.Repeat("b", 500)))
		require.NoError(t, err)
		require.False(t, got.Cut)
		require.NotContains(t, s.server.Requests()[0].Chat().Messages[1].Content, "left out")
	}
}

// Lists whose items need a verdict each are not cut: what does not fit with them is refused.
func TestListsAreNotCut(t *testing.T) {
	t.Parallel()
	s := newSetup(t, model.Limits{}, model.JudgeSettings{MaxInput: 2000}, yes())
	q := question("[1] "+strings.Repeat("statement ", 100), filler())
	q.Data[0].Whole = true
	got, err := s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	require.True(t, got.Cut)
	list, _ := s.server.Requests()[0].Data("answer")
	require.Equal(t, q.Data[0].Text, list)
	q.Data[0].Text = strings.Repeat("statement ", 1000)
	_, err = s.judge.Judge(t.Context(), q)
	require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
	require.Len(t, s.server.Requests(), 1, "nothing was sent")
}

func FuzzShortenedTextsFit(f *testing.F) {
	f.Add("One. Two! Three?\nFour", "two", 300)
	f.Add(strings.Repeat("長い文。", 400), "文", 250)
	f.Add(strings.Repeat("\x80", 3000), "", 900)
	f.Fuzz(func(t *testing.T, text, other string, limit int) {
		limit = 200 + max(0, limit)%5000
		data, cut, err := model.Shorten([]eval.DataBlock{{Name: "a", Text: text}, {Name: "b", Text: other}}, limit)
		if err != nil {
			return
		}
		require.Equal(t, len(text)+len(other) > limit, cut)
		total := len(data[0].Text) + len(data[1].Text)
		require.LessOrEqual(t, total, max(limit, 0))
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(data[0].Text))
		}
	})
}

// The cost of a question is estimated before it is sent: its texts are shortened to what it may
// cost, and nothing is sent that costs more.
func TestTextsAreCutToWhatAQuestionMayCost(t *testing.T) {
	t.Parallel()
	q := question("The tower is 300 m high.", strings.Repeat("It rained in the town. ", 1000)+"The tower is 310 m high.")
	// An answer of 512 tokens costs 5,120 millionths, and 500 tokens of texts 1,000.
	for _, c := range []struct {
		about string
		most  float64
		sent  int // bytes of the texts, at most; 0 if nothing is sent
		cut   bool
	}{
		{"no bound", 0, 1 << 20, false},
		{"enough for all of it", 1, 1 << 20, false},
		{"enough for a part", 0.00612, 2000, true},
		{"the answer alone costs more", 0.005, 0, false},
		{"nothing left for the texts", 0.00522, 0, false},
	} {
		s := newSetup(t, model.Limits{}, model.JudgeSettings{MaxCost: c.most}, yes())
		got, err := s.judge.Judge(t.Context(), q)
		if c.sent == 0 {
			require.True(t, fault.Is(err, fault.TooLarge), c.about)
			require.Empty(t, s.server.Requests(), c.about)
			continue
		}
		require.NoError(t, err, c.about)
		require.Equal(t, c.cut, got.Cut, c.about)
		answer, _ := s.server.Requests()[0].Data("answer")
		context, _ := s.server.Requests()[0].Data("context")
		require.LessOrEqual(t, len(answer)+len(context), c.sent, c.about)
		require.Contains(t, context, "310 m", "what bears on the answer stays")
	}
	s := newSetup(t, model.Limits{}, model.JudgeSettings{MaxCost: 0.00001, Allowed: []string{"free"}}, yes())
	q.Model = "free"
	got, err := s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	require.False(t, got.Cut, "a model without a price has no estimate")

	s = newSetup(t, model.Limits{}, model.JudgeSettings{MaxCost: prices.Of("answers", 0, 512).Cost, Allowed: []string{"answers"}}, yes())
	q.Model = "answers"
	got, err = s.judge.Judge(t.Context(), q)
	require.NoError(t, err)
	require.False(t, got.Cut, "texts that cost nothing fit a bound that the answer fills")
}
