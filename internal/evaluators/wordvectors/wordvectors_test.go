// SPDX-License-Identifier: Apache-2.0

package wordvectors

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func of(t testing.TB, word string) Vector {
	t.Helper()
	v, ok := Of(word)
	require.True(t, ok, word)
	return v
}

func TestWordsOfLikeMeaningAreNear(t *testing.T) {
	t.Parallel()
	for _, words := range [][3]string{
		{"car", "automobile", "banana"},
		{"doctor", "physician", "carpet"},
		{"france", "paris", "tokyo"},
		{"cat", "kitten", "senator"},
		{"buy", "purchase", "sing"},
		{"idiot", "moron", "professor"},
	} {
		near, far := of(t, words[0]).Cosine(of(t, words[1])), of(t, words[0]).Cosine(of(t, words[2]))
		require.Greater(t, near, float32(0.4), words)
		require.Less(t, far, near-0.3, words)
	}
}

func TestWordsAreLookedUpAsTextAndAsBytes(t *testing.T) {
	t.Parallel()
	v, ok := Of([]byte("teacher"))
	require.True(t, ok)
	require.Equal(t, of(t, "teacher"), v)
	for _, word := range []string{"", "Teacher", "xqzzyv", "teacher ", "3.14", "été", strings.Repeat("a", 1000)} {
		_, ok := Of(word)
		require.False(t, ok, "%q", word)
	}
}

func TestAWordIsLookedUpWithoutAllocation(t *testing.T) {
	word := []byte("teacher")
	other := of(t, "school")
	var sum Sum
	require.Zero(t, testing.AllocsPerRun(100, func() {
		v, _ := Of(word)
		sum.Add(v, v.Cosine(other))
	}))
}

func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	a, b := of(t, "teacher"), of(t, "school")
	dot, squares := 0.0, 0.0
	signs := uint64(0)
	for i := range Dimensions {
		x := float64(a.At(i))
		dot += x * float64(b.At(i))
		squares += x * x
		if x >= 0 {
			signs |= 1 << i
		}
	}
	require.InDelta(t, math.Sqrt(squares), a.Norm(), 1e-3)
	require.InDelta(t, dot/float64(a.Norm())/float64(b.Norm()), a.Cosine(b), 1e-3)
	require.InDelta(t, 1, a.Cosine(a), 1e-3)
	require.Equal(t, signs, a.Signs())
	require.Less(t, bits.OnesCount64(a.Signs()^b.Signs()), Dimensions/2)
}

func TestSumsAreCompared(t *testing.T) {
	t.Parallel()
	sum := func(words ...string) *Sum {
		var s Sum
		for _, word := range words {
			s.Add(of(t, word), 1)
		}
		return &s
	}
	guitar, music, law := sum("man", "plays", "guitar"), sum("musician", "performs", "song"), sum("court", "rejects", "appeal")
	require.Greater(t, guitar.Cosine(music), guitar.Cosine(law)+0.3)
	require.InDelta(t, of(t, "man").Cosine(of(t, "guitar")), sum("man").Cosine(sum("guitar")), 1e-3)
	require.Zero(t, guitar.Cosine(&Sum{}))
}

// The checksum is computed here, and not whenever a process starts.
func TestTheFileIsWhole(t *testing.T) {
	t.Parallel()
	body := len(englishFile) - 4
	require.Equal(t, crc32.ChecksumIEEE([]byte(englishFile[:body])), number(englishFile, body))
	require.Less(t, len(englishFile), 6_000_000)
	require.Greater(t, len(english().tags)/4, 50_000)
}

func TestTablesAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	vector := func(x ...float64) []float64 { return append(x, make([]float64, Dimensions-len(x))...) }
	vectors := map[string][]float64{"nothing": vector(), "up": vector(1), "down": vector(-1, 0.5), "right": vector(0, 0, 0.25)}
	file, err := Encode(vectors)
	require.NoError(t, err)
	again, err := Encode(vectors)
	require.NoError(t, err)
	require.Equal(t, file, again)
	made, err := open(string(file))
	require.NoError(t, err)
	for word, want := range vectors {
		v, ok := made.find(hash(word))
		require.True(t, ok, word)
		for i := range want {
			require.InDelta(t, want[i], v.At(i), 0.01, word)
		}
	}
	_, ok := made.find(hash("left"))
	require.False(t, ok)
	nothing, _ := made.find(hash("nothing"))
	require.Zero(t, nothing.Cosine(of(t, "up")))
	for _, wrong := range [][]float64{{1}, vector(math.NaN()), vector(math.Inf(1)), vector(1000)} {
		_, err := Encode(map[string][]float64{"x": wrong})
		require.Error(t, err)
	}
}

func TestMalformedTablesAreRefused(t *testing.T) {
	t.Parallel()
	file := []byte(englishFile)
	for name, wrong := range map[string][]byte{
		"nothing":                 nil,
		"a head alone":            file[:headBytes],
		"an end that is missing":  file[:len(file)-1],
		"another version":         append([]byte("TSWV\x02"), file[5:]...),
		"another number of words": append(binary.LittleEndian.AppendUint32(append([]byte(nil), file[:8]...), 7), file[12:]...),
	} {
		_, err := open(string(wrong))
		require.Error(t, err, name)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("teacher")
	f.Fuzz(func(t *testing.T, word string) {
		v, ok := Of(word)
		w, same := Of([]byte(word))
		require.Equal(t, ok, same)
		require.Equal(t, v, w)
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.Fields("the teacher asked whether zzyzx children at her school had read every word of that book about whales")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Of(text[i%len(text)])
	}
}

func BenchmarkAdd(b *testing.B) {
	v := of(b, "teacher")
	var s Sum
	for b.Loop() {
		s.Add(v, 0.5)
	}
}

func BenchmarkCosine(b *testing.B) {
	v, w := of(b, "teacher"), of(b, "school")
	for b.Loop() {
		v.Cosine(w)
	}
}

func BenchmarkSigns(b *testing.B) {
	v := of(b, "teacher")
	for b.Loop() {
		v.Signs()
	}
}

func TestAWordHasAPlace(t *testing.T) {
	t.Parallel()
	places := map[int]string{}
	for _, word := range []string{"car", "automobile", "banana", "the"} {
		v, ok := Of(word)
		require.True(t, ok)
		require.Less(t, v.Place(), Words())
		require.NotContains(t, places, v.Place())
		places[v.Place()] = word
		require.Equal(t, v, AtPlace(v.Place()))
	}
}
