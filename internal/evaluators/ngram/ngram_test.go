// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func trained(t testing.TB) *Model {
	t.Helper()
	var texts [][]byte
	for range 20 {
		texts = append(texts, []byte("the cat sat on the mat"), []byte("the dog sat on the log"))
	}
	return Train(texts, 2)
}

func sum(numbers []float64) (total float64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

func TestWhatWasSeenIsLikely(t *testing.T) {
	t.Parallel()
	m := trained(t)
	seen := m.Surprisals([]byte("the cat sat on the log"))
	require.Len(t, seen, 23, "one for each byte and one for the end")
	for _, strange := range []string{"cat the on sat log the", "xqz jkv wwp qqq zzz gh", "\xff\x00\xfe\x01\xff\x00\xff\x01\xff\x00\xff\x01\xff\x00\xff\x01\xff\x00\xff\x01\xff\x00"} {
		require.Greater(t, sum(m.Surprisals([]byte(strange))), 2*sum(seen))
	}
	for _, n := range m.Surprisals([]byte("\x00\xff\x80")) {
		require.False(t, math.IsNaN(n) || math.IsInf(n, 0))
		require.LessOrEqual(t, n, -math.Log(floor)+1e-9)
		require.GreaterOrEqual(t, n, 0.0)
	}
	require.Len(t, m.Surprisals(nil), 1)
}

// After any context, the bytes share all the probability there is, and what the
// floor gives to the unlikely ones.
func TestProbabilitiesSumToOne(t *testing.T) {
	t.Parallel()
	m := trained(t)
	for _, before := range []string{"", "t", "the ", "on th", "zzzzz"} {
		total := 0.0
		for b := range 256 {
			text := append([]byte(before), byte(b))
			total += math.Exp(-m.Surprisals(text)[len(before)])
		}
		require.InDelta(t, 1, total, 0.1, before)
	}
}

func TestModelsAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	m := trained(t)
	data, err := m.Encode()
	require.NoError(t, err)
	again, err := trained(t).Encode()
	require.NoError(t, err)
	require.Equal(t, data, again, "the same texts give the same bytes")
	read, err := Decode(data)
	require.NoError(t, err)
	text := []byte("the mat sat")
	require.InDeltaSlice(t, m.Surprisals(text), read.Surprisals(text), 0.2)
	for _, broken := range [][]byte{nil, []byte("ngram1\n"), data[:len(data)-1], data[:20], append([]byte("x"), data...)} {
		_, err := Decode(broken)
		require.Error(t, err)
	}
}

func TestTextsArePrepared(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a é b", string(Prepare(" a\n\te\u0301  b ")))
	require.Equal(t, "a\uFFFDb", string(Prepare("a\xffb")))
	require.Empty(t, Prepare(" \n"))
	require.Len(t, Prepare(strings.Repeat("é", 1<<20)), 2*longest)
	require.Len(t, Prepare(strings.Repeat("a", 1<<20)), longest)
}

func FuzzDecode(f *testing.F) {
	data, err := trained(f).Encode()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte("ngram1\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := Decode(data); err == nil {
			m.Surprisals([]byte("the cat"))
		}
	})
}

func BenchmarkSurprisals(b *testing.B) {
	m := trained(b)
	text := []byte(strings.Repeat("the cat sat on the mat and ", 40)[:1024])
	b.ReportAllocs()
	for b.Loop() {
		m.Surprisals(text)
	}
}
