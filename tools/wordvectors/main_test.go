// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
	"github.com/touchstone-otel/touchstone/tools/models/dataset/datasettest"
)

func TestThePackageIsRead(t *testing.T) {
	t.Parallel()
	got, err := read(strings.NewReader(`{"precision":8,"unkVector":[0,-1],"dimensions":2,"words":["the","a"],"vectors":{"a":[3,4,5,1],"the":[1,0,1,0]}}`))
	require.NoError(t, err)
	require.Equal(t, source{words: []string{"the", "a"}, vectors: [][]float64{{1, 0}, {3, 4}}}, got)
	for _, wrong := range []string{
		``, `[]`, `{}`, `{"dimensions":2,"words":["a"],"vectors":{}}`, `{"dimensions":2,"words":["a"],"vectors":{"a":[1]}}`,
		`{"dimensions":2,"words":["a"],"vectors":[]}`, `{"dimensions":2,"words":["a"],"vectors":{"a":"x"}}`, `{"dimensions":2,`,
	} {
		_, err := read(strings.NewReader(wrong))
		require.Error(t, err, wrong)
	}
}

func TestWordsAreChosen(t *testing.T) {
	t.Parallel()
	words := []string{"the", ",", "cat", "", "o'clock", "dog", "zebra", "grumbit", "été"}
	require.Equal(t, []int{0, 2, 7}, choose(words, map[string]bool{"grumbit": true, "été": true, "the": true}, 2))
}

func TestOurOwnWordsAreThoseOfListsAndOfMoreThanOneText(t *testing.T) {
	t.Parallel()
	root, data := t.TempDir(), t.TempDir()
	datasettest.Write(t, data)
	for name, text := range map[string]string{
		"internal/evaluators/list.txt": "Wibble: wobble-wabble", "internal/evaluators/testdata/x.txt": "unseen", "internal/evaluators/x.go": "gopher",
		"tools/models/grammar/x.txt": "{grammatical}",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	got, err := ownWords(root, data)
	require.NoError(t, err)
	for _, word := range []string{"wibble", "wobble", "wabble", "grammatical", "bicycle", "grumbit"} {
		require.True(t, got[word], word)
	}
	require.False(t, got["unseen"])
	require.False(t, got["gopher"])
	_, err = ownWords(root, t.TempDir())
	require.Error(t, err)
	_, err = ownWords(t.TempDir(), data)
	require.Error(t, err)
}

func TestEigenvectorsAreThoseOfTheMatrix(t *testing.T) {
	t.Parallel()
	const n = 12
	matrix := func() [][]float64 {
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				a[i][j] = math.Sin(float64(1+i*j)) + float64((i+1)*(j+1)%7)
			}
			for j := range i { // symmetric
				a[i][j] = a[j][i]
			}
		}
		return a
	}
	symmetric := matrix()
	for i := range n {
		for j := range i {
			symmetric[j][i] = symmetric[i][j]
		}
	}
	changed := make([][]float64, n)
	for i := range changed {
		changed[i] = append([]float64(nil), symmetric[i]...)
	}
	last := math.Inf(-1)
	for _, v := range eigenvectors(changed) {
		value, length := 0.0, 0.0
		for i := range n {
			for j := range n {
				value += v[i] * symmetric[i][j] * v[j]
			}
			length += v[i] * v[i]
		}
		require.InDelta(t, 1, length, 1e-9)
		require.GreaterOrEqual(t, value, last)
		last = value
		for i := range n {
			product := 0.0
			for j := range n {
				product += symmetric[i][j] * v[j]
			}
			require.InDelta(t, value*v[i], product, 1e-9)
		}
	}
}

func TestVectorsAreReducedToTheirComponents(t *testing.T) {
	t.Parallel()
	full := source{}
	const n = wordvectors.Dimensions + dropped
	for i := range 200 {
		v := make([]float64, n)
		for k := range v {
			v[k] = 5 + math.Sin(float64(i*n+k)*1.7)/float64(k+1) // the first numbers vary most
		}
		full.words = append(full.words, strings.Repeat("a", i+1))
		full.vectors = append(full.vectors, v)
	}
	kept := []int{0, 1, 2, 5}
	for i := 10; i < 200; i++ {
		kept = append(kept, i)
	}
	made := reduce(full, kept)
	require.Len(t, made, len(kept))
	variance := make([]float64, wordvectors.Dimensions)
	for _, v := range made {
		require.Len(t, v, wordvectors.Dimensions)
		for k, x := range v {
			variance[k] += x * x
		}
	}
	for k := range variance[1:] {
		require.LessOrEqual(t, variance[k+1], variance[k]+1e-9)
	}
	require.Less(t, variance[0], 200*0.5/dropped/dropped, "the first components are left out")
	first, err := wordvectors.Encode(made)
	require.NoError(t, err)
	again, err := wordvectors.Encode(reduce(full, kept))
	require.NoError(t, err)
	require.Equal(t, first, again)
}
