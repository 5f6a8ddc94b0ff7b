// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// encoders pack as senders do. They write to memory, which does not fail.
var encoders = map[string]func(w io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"zlib":    func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		e, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // its options are sound
		return e
	},
	"snappy":          func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) },
	"x-snappy-framed": func(w io.Writer) io.WriteCloser { return snappy.NewBufferedWriter(w) },
	"lz4":             func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) },
}

// FuzzUnpack unpacks what fuzzers write and, since that is hardly ever a container,
// what they have packed and spoiled. Whatever it is, no more comes out than may, it is
// paid for while it is there, and what is sound comes out as it was.
func FuzzUnpack(f *testing.F) {
	names := slices.Sorted(maps.Keys(decoders))
	for i := range names {
		for seed := range uint64(4) {
			f.Add(uint8(i), seed, []byte("some telemetry some telemetry"))
		}
		f.Add(uint8(i), uint64(0), bytes.Repeat([]byte{0}, 2<<20))
		f.Add(uint8(i), uint64(1), []byte{})
	}
	cfg := createDefaultConfig().(*Config)
	cfg.RequestMiB, cfg.MemoryMiB = 1, 64
	a, err := newExtension(cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(f, err)
	f.Cleanup(func() { _ = a.Shutdown(f.Context()) })
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, plain []byte) {
		name := names[int(which)%len(names)]
		packed := plain
		if seed > 0 {
			var to bytes.Buffer
			w := encoders[name](&to)
			_, err := w.Write(plain)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			packed = to.Bytes()
		}
		if seed > 1 {
			packed = testbed.Spoil(rand.New(rand.NewPCG(seed, 1)), packed)
		}
		l := a.budget.Lease("fuzz")
		b, err := a.unpack(t.Context(), l, bytes.NewReader(packed), name, -1)
		require.LessOrEqual(t, int64(len(b)), a.most)
		switch {
		case err != nil:
			require.NotEmpty(t, reasonOf(err), "%v", err)
		case seed == 1:
			require.True(t, bytes.Equal(plain, b))
		}
		if err == nil {
			require.GreaterOrEqual(t, l.Held(), int64(len(b)))
		} else if seed == 1 {
			require.Greater(t, int64(len(plain)), a.most, "%v", err)
		}
		l.Release()
		require.Zero(t, a.budget.InUse())
	})
}
