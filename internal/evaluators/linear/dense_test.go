// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// likened makes a model that knows nothing but how like words of a text in a row are to
// three words, "" for any.
func likened(t testing.TB, words ...string) *Model {
	t.Helper()
	m, err := New(8, []Class{{Label: "a", Scale: 1, Bias: -2}}, make([]int8, 256))
	require.NoError(t, err)
	require.NoError(t, m.Weigh(likeness(t, words...)))
	return m
}

func likeness(t testing.TB, words ...string) *Dense {
	t.Helper()
	f := Filter{Kernel: make([]int8, len(words)*wordvectors.Dimensions), Step: 0.01}
	for k, word := range words {
		if word == "" {
			continue
		}
		v, ok := wordvectors.Of(word)
		require.True(t, ok, word)
		for i := range wordvectors.Dimensions {
			f.Kernel[k*wordvectors.Dimensions+i] = int8(math.Round(float64(100 * v.At(i) / v.Norm())))
		}
		f.Bias -= 2 // half of what the word itself is given
	}
	return &Dense{Filters: []Filter{f}, Classes: []DenseClass{{Highest: []float32{2}, Mean: []float32{0}}}}
}

func TestAWordOfLikeMeaningCountsToo(t *testing.T) {
	t.Parallel()
	m := likened(t, "", "terrible", "")
	itself, like, other := m.Odds("this was terrible"), m.Odds("this was horrible"), m.Odds("this was wooden")
	require.Greater(t, itself, like)
	require.Greater(t, like, other+0.5)
	require.InDelta(t, -2, other, 0.01, "what is not like it is nothing, not less")
	require.InDelta(t, 2, itself, 0.1)
	require.InDelta(t, itself, m.Odds("this was t3rr1bl3"), 0, "words are read as they are meant")
	require.InDelta(t, -2, m.Odds("zzyzxq"), 0)
}

// Filters that look at one word alone are read another way than those that look at a row:
// one of the latter next to them, which says nothing, must not change a thing.
func TestFiltersOfOneWordAreReadAsThoseOfARow(t *testing.T) {
	t.Parallel()
	single, row := likeness(t, "", "terrible", ""), likeness(t, "", "terrible", "")
	beside := likeness(t, "", "umbrella", "").Filters[0]
	beside.Bias = -1 // answers to many words
	single.Filters, row.Filters = append(single.Filters, beside), append(row.Filters, beside, likeness(t, "not", "an", "idiot").Filters[0])
	single.Classes[0] = DenseClass{Highest: []float32{2, -1}, Mean: []float32{0.5, 1.5}, Length: 0.25, Bias: 0.125}
	row.Classes[0] = DenseClass{Highest: []float32{2, -1, 0}, Mean: []float32{0.5, 1.5, 0}, Length: 0.25, Bias: 0.125}
	require.True(t, single.looksAtSingleWords())
	require.False(t, row.looksAtSingleWords())
	answering := likeness(t, "", "terrible", "")
	answering.Filters[0].Bias = 1
	require.False(t, answering.looksAtSingleWords(), "it answers to words without a vector too")
	for _, text := range []string{"this was terrible", "a horrible, terrible raincoat!", "the parasol zzyzxq is fine and blue", "awful awful awful umbrella"} {
		odds := map[*Dense]float64{}
		for _, d := range []*Dense{single, row} {
			m, err := New(8, []Class{{Label: "a", Scale: 1}}, make([]int8, 256))
			require.NoError(t, err)
			require.NoError(t, m.Weigh(d))
			odds[d] = m.Odds(text)
		}
		require.NotZero(t, odds[single])
		require.Equal(t, odds[row], odds[single], text) //nolint:testifylint // to the last bit
	}
}

func TestTheOrderOfWordsCounts(t *testing.T) {
	t.Parallel()
	m := likened(t, "not", "an", "idiot")
	require.InDelta(t, 10, m.Odds("he is not an idiot"), 0.2)
	require.Less(t, m.Odds("an idiot he is not"), m.Odds("he is not an idiot")-1)
	require.InDelta(t, m.Odds("not an idiot"), m.Odds("he said that he is not an idiot at all"), 0)
}

func TestTheMeanOfAnswersCounts(t *testing.T) {
	t.Parallel()
	d := likeness(t, "", "terrible", "")
	d.Classes[0] = DenseClass{Highest: []float32{0}, Mean: []float32{1}, Bias: 0.5}
	m, err := New(8, []Class{{Label: "a", Scale: 1}}, make([]int8, 256))
	require.NoError(t, err)
	require.NoError(t, m.Weigh(d))
	require.InDelta(t, 0.5, m.Odds("the baker sold a blue umbrella"), 0.01)
	require.InDelta(t, 0.5+4*2/4.0, m.Odds("terrible"), 0.1)
	require.InDelta(t, 0.5+4*4/5.0, m.Odds("terrible terrible"), 0.1)
	d.Classes[0] = DenseClass{Highest: []float32{0}, Mean: []float32{0}, Length: 1}
	require.NoError(t, m.Weigh(d))
	require.InDelta(t, math.Log(6)-3, m.Odds("the baker sold an umbrella"), 1e-6)
}

// Vectors are of English: whatever words of other languages look like, they say nothing.
func TestOfOtherLanguagesMeaningsSayNothing(t *testing.T) {
	t.Parallel()
	m := likened(t, "", "terrible", "")
	for _, text := range []string{
		"Das Wetter ist terrible, und niemand kümmert sich jemals darum.",
		"Ты идиот, и никто тебя не любит.",
		"👍👍 !!! ??",
	} {
		odds := m.Odds(text)
		require.True(t, odds == -2 || math.IsInf(odds, -1), "%s: %v", text, odds)
	}
	require.Zero(t, Familiar(nil))
	require.Zero(t, Familiar([]int32{NoWord, NoWord}))
	require.InDelta(t, 1, Familiar([]int32{3, 4, 5, 6, NoWord, NoWord, UnknownWord}), 1e-6)
	require.InDelta(t, 0.5, Familiar([]int32{3, 4, 5, 6, 7, 8, 9, UnknownWord, UnknownWord, UnknownWord}), 1e-5)
	require.Zero(t, Familiar([]int32{3, UnknownWord}))
}

func TestPartsAreWhatIsJudged(t *testing.T) {
	t.Parallel()
	v := NewVectoriser(12, 0)
	text := strings.Repeat("The baker, as ever, sold a zzyzxq umbrella. ", 60)
	parts := v.Parts(text)
	require.Greater(t, len(parts), 3)
	judged := newCounter(12, Passage) // as it is without the sequences
	judged.passages(text, func() {
		require.Equal(t, judged.vector(), parts[0].Features)
		parts = parts[1:]
	})
	require.Empty(t, parts)
	sequence := v.Parts("the @baker sold a zzyzxq umbrella!")[0].Sequence
	require.Len(t, sequence, 7)
	require.Equal(t, []int32{NoWord, UnknownWord, NoWord}, []int32{sequence[1], sequence[4], sequence[6]})
	known, _ := wordvectors.Of("umbrella")
	require.Equal(t, int32(known.Place()), sequence[5])
}

func TestMeaningsTakeNoMemoryOfTheirOwn(t *testing.T) {
	m := likened(t, "not", "an", "idiot")
	text := strings.Repeat("He is not an idiot, whatever they say of him. ", 100)
	m.Odds(text)
	require.Less(t, testing.AllocsPerRun(10, func() { m.Odds(text) }), 10.0)
	marks := NewVectoriser(8, 0)
	marks.c.passages(strings.Repeat("?!", 1<<16)+" so", func() { require.LessOrEqual(t, len(marks.c.sequence), Passage) })
}

func TestMeaningsAreTheSameForAllAtOnce(t *testing.T) {
	t.Parallel()
	m := likened(t, "not", "an", "idiot")
	want := likened(t, "not", "an", "idiot").Odds("whoever says that he is not an idiot lies")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := m.Odds("whoever says that he is not an idiot lies"); got != want {
				t.Errorf("%v, not %v", got, want)
			}
		})
	}
	wg.Wait()
}

func TestMeaningsSurviveTheFile(t *testing.T) {
	t.Parallel()
	m := likened(t, "not", "an", "idiot")
	m.dense.Classes[0].Length = 0.25
	again, err := Decode(m.Encode())
	require.NoError(t, err)
	require.Equal(t, m.dense.Filters, again.dense.Filters)
	require.Equal(t, m.dense.Classes, again.dense.Classes)
	require.InDelta(t, m.Odds("he is not an idiot"), again.Odds("he is not an idiot"), 0)
	require.Equal(t, m.Encode(), again.Encode())
	file := m.Encode()
	require.EqualValues(t, denseVersion, file[4])
	require.EqualValues(t, version, sized(t, 8, "a").Encode()[4], "without meanings a file is as it was")

	body := file[:len(file)-4]
	for cut := len(body) - 256; cut > 20; cut -= 16 {
		_, err := Decode(sealed(append([]byte(nil), body[:cut]...)))
		require.Error(t, err, cut)
	}
}

func TestWhatIsNoMeaningIsRefused(t *testing.T) {
	t.Parallel()
	m := sized(t, 8, "a")
	for about, change := range map[string]func(d *Dense){
		"0 filters":                   func(d *Dense) { d.Filters = nil },
		"65 filters":                  func(d *Dense) { d.Filters = make([]Filter, 65) },
		"a filter of 3 weights":       func(d *Dense) { d.Filters[0].Kernel = make([]int8, 3) },
		"meanings of 2 classes":       func(d *Dense) { d.Classes = make([]DenseClass, 2) },
		"two weights for each":        func(d *Dense) { d.Classes[0].Mean = nil },
		"finite":                      func(d *Dense) { d.Classes[0].Length = float32(math.NaN()) },
		"weights of meanings must be": func(d *Dense) { d.Filters[0].Bias = float32(math.Inf(1)) },
	} {
		d := likeness(t, "not", "an", "idiot")
		change(d)
		require.ErrorContains(t, m.Weigh(d), about)
	}
}

func BenchmarkMeanings(b *testing.B) {
	d := &Dense{Classes: []DenseClass{{Highest: make([]float32, 24), Mean: make([]float32, 24)}}}
	for range 24 {
		d.Filters = append(d.Filters, Filter{Kernel: make([]int8, 3*wordvectors.Dimensions), Step: 1})
	}
	m, err := New(16, []Class{{Label: "a", Scale: 1}}, make([]int8, 1<<16))
	require.NoError(b, err)
	text := strings.Repeat("He is not an idiot, whatever they say of him. ", 23)[:1024]
	for name, with := range map[string]bool{"without": false, "with": true} {
		b.Run(name, func(b *testing.B) {
			if with {
				require.NoError(b, m.Weigh(d))
			}
			m.counters.New = func() any {
				s := &scorer{counter: newCounter(16, m.passage), sums: make([]int64, 1), odds: make([]float64, 1)}
				s.counter.dense = with
				return s
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Odds(text)
			}
		})
	}
}
