// SPDX-License-Identifier: Apache-2.0

package keyfilter_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
)

// identity returns the identity number n: ids that are as like as counters are.
func identity(n uint64) (id span.Identity) {
	binary.BigEndian.PutUint64(id.TraceID[8:], n/10)
	binary.BigEndian.PutUint64(id.SpanID[:], n)
	id.Bucket = span.Bucket(n % 7)
	return id
}

func filled(n uint64) *keyfilter.Filter {
	f := &keyfilter.Filter{}
	for i := range n {
		f.Add(int32(i%3), identity(i))
	}
	return f
}

func TestNothingThatIsThereIsRuledOut(t *testing.T) {
	t.Parallel()
	const n = 200_000
	f := filled(n)
	wrong := 0
	for i := range uint64(n) {
		require.True(t, f.MayHave(int32(i%3), identity(i)))
		if f.MayHave(int32(i%3), identity(n+i)) {
			wrong++
		}
	}
	require.Less(t, wrong, n/250, "of what is not there nearly all is ruled out")
	require.Less(t, f.Bytes(), 8*n, "bytes")
}

func TestEnvironmentAndBucketTellSpansApart(t *testing.T) {
	t.Parallel()
	f := &keyfilter.Filter{}
	id := identity(5)
	require.False(t, f.MayHave(0, id), "an empty filter")
	f.Add(0, id)
	require.True(t, f.MayHave(0, id))
	require.False(t, f.MayHave(1, id))
	id.Bucket++
	require.False(t, f.MayHave(0, id))
}

func TestAFileHasTheFilter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.keys")
	stamp := keyfilter.Stamp{Serial: 7, Next: 20_000}
	for _, n := range []uint64{0, 1, 20_000} {
		f := filled(n)
		require.NoError(t, f.Write(path, stamp))
		read, err := keyfilter.Read(path, stamp)
		require.NoError(t, err)
		require.Equal(t, f.Bytes(), read.Bytes())
		for i := range n + 5000 {
			f.Add(9, identity(i)) // both go on in the same way
			read.Add(9, identity(i))
			require.Equal(t, f.MayHave(0, identity(i)), read.MayHave(0, identity(i)))
			require.True(t, read.MayHave(9, identity(i)))
		}
	}
	list, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, list, 1, "no file is left over")
}

func TestADamagedFileIsNoFilter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.keys")
	stamp := keyfilter.Stamp{Serial: 7, Next: 3000}
	_, err := keyfilter.Read(path, stamp)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, filled(3000).Write(path, stamp))
	for _, other := range []keyfilter.Stamp{{Serial: 8, Next: 3000}, {Serial: 7, Next: 3001}} {
		_, err := keyfilter.Read(path, other)
		require.ErrorContains(t, err, "of other rows")
	}
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 0; i < len(whole); i += 97 {
		broken := append([]byte(nil), whole...)
		broken[i] ^= 0x10
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		_, err := keyfilter.Read(path, stamp)
		require.Error(t, err, "byte %d", i)
		require.NoError(t, os.WriteFile(path, whole[:i], 0o600))
		_, err = keyfilter.Read(path, stamp)
		require.Error(t, err, "cut at %d", i)
	}
	require.Error(t, filled(1).Write(filepath.Join(t.TempDir(), "missing", "p.keys"), stamp))
}

func TestBucketsAreASet(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var s keyfilter.Buckets
		model := map[span.Bucket]bool{}
		spread := 1 + r.IntN(300)
		for range r.IntN(200) {
			b := span.Bucket(r.IntN(spread) - spread/2)
			before := s
			had := before.Has(b)
			s = s.With(b)
			require.Equal(t, model[b], had)
			require.Equal(t, had, before.Has(b), "what was there before has not changed")
			model[b] = true
		}
		for b := span.Bucket(-200); b < 200; b++ {
			require.Equal(t, model[b], s.Has(b), "%d in %v", b, s.Runs())
		}
		for i, run := range s.Runs() {
			require.LessOrEqual(t, run.First, run.Last)
			if i > 0 {
				require.Greater(t, run.First, s.Runs()[i-1].Last+1, "runs are apart")
			}
		}
		require.Equal(t, s, keyfilter.BucketsOf(s.Runs()))
	}
}

func TestScatteredBucketsAreBounded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var s keyfilter.Buckets
	var all []span.Bucket
	for range 20_000 {
		b := span.Bucket(r.Int32())
		if r.IntN(2) == 0 {
			b = -b
		}
		all = append(all, b)
		s = s.With(b)
		require.LessOrEqual(t, len(s.Runs()), 1024)
	}
	for _, b := range all {
		require.True(t, s.Has(b))
	}
}

func BenchmarkAdd(b *testing.B) {
	f := &keyfilter.Filter{}
	for i := range b.N {
		if i%500_000 == 0 {
			f = &keyfilter.Filter{}
		}
		f.Add(1, identity(uint64(i)))
	}
}

func BenchmarkRuleOut(b *testing.B) {
	f := filled(500_000)
	b.ResetTimer()
	for i := range b.N {
		f.MayHave(1, identity(uint64(500_000+i)))
	}
}

func TestClonesAreApart(t *testing.T) {
	t.Parallel()
	f := filled(3000)
	c := f.Clone()
	require.Equal(t, f.Bytes(), c.Bytes())
	late := identity(1 << 40)
	require.False(t, c.MayHave(1, late))
	c.Add(1, late)
	require.True(t, c.MayHave(1, late))
	require.False(t, f.MayHave(1, late))
	for i := range uint64(3000) {
		require.True(t, c.MayHave(int32(i%3), identity(i)))
	}
}
