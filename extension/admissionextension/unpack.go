// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/touchstone-otel/touchstone/internal/fair"
)

// maxWindow is how far back a zstd frame may refer. The format asks every
// decoder to support it, and encoders use no more by default.
// https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.2
const maxWindow = 8 << 20

// decoders are the encodings that a request may come in, with the memory that
// unpacking takes besides what is unpacked.
var decoders = map[string]struct {
	memory int64
	open   func(r io.Reader) (io.ReadCloser, error)
}{
	"gzip":            {64 << 10, openGzip},
	"x-gzip":          {64 << 10, openGzip}, // https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3
	"zlib":            {64 << 10, zlib.NewReader},
	"deflate":         {64 << 10, zlib.NewReader}, // https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
	"zstd":            {maxWindow, openZstd},
	"snappy":          {128 << 10, openSnappy},
	"x-snappy-framed": {128 << 10, func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(snappy.NewReader(r)), nil }},
	"lz4":             {8 << 20, func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(lz4.NewReader(r)), nil }},
}

func openGzip(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// framed begins a snappy stream in frames, unless nothing was packed: encoders write
// nothing then. A block, which older collectors send under the same name, does not
// begin so.
// https://github.com/google/snappy/blob/main/framing_format.txt
const framed = "\xff\x06\x00\x00sNaPpY"

func openSnappy(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(r)
	if head, err := b.Peek(len(framed)); string(head) == framed || len(head) == 0 && errors.Is(err, io.EOF) {
		return io.NopCloser(snappy.NewReader(b)), nil
	}
	return &snappyBlock{from: b}, nil
}

// snappyBlock unpacks a block, which can only be unpacked whole. The reader of
// the request tells it first how much it may be.
type snappyBlock struct {
	from *bufio.Reader
	out  *bytes.Reader
}

// size returns what the block says it will be unpacked to.
func (s *snappyBlock) size() (int64, error) {
	head, err := s.from.Peek(10) // as long as a varint is at most
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	n, err := snappy.DecodedLen(head)
	return int64(n), err
}

func (s *snappyBlock) Read(p []byte) (int, error) {
	if s.out == nil {
		packed, err := io.ReadAll(s.from)
		if err != nil {
			return 0, err
		}
		plain, err := snappy.Decode(nil, packed)
		if err != nil {
			return 0, err
		}
		s.out = bytes.NewReader(plain)
	}
	return s.out.Read(p)
}

func (s *snappyBlock) Close() error { return nil }

// unpack reads r, which is in this encoding, whole; "" is none. The lease grows
// with it, before it does, and still holds it in the end. size is how many bytes
// are expected, -1 if that is not known.
func (a *admission) unpack(ctx context.Context, l *fair.Lease, r io.Reader, encoding string, size int64) ([]byte, error) {
	if encoding == "" || encoding == "identity" {
		return a.read(ctx, l, r, size)
	}
	d, ok := decoders[encoding]
	if !ok {
		return nil, unknownEncoding(encoding)
	}
	if err := l.Grow(ctx, d.memory); err != nil {
		return nil, err
	}
	defer l.Shrink(d.memory)
	from, err := d.open(r)
	if err != nil {
		return nil, errors.Join(errPacked, err)
	}
	defer func() { _ = from.Close() }() // what is wrong with it, reading has said
	if block, ok := from.(*snappyBlock); ok {
		n, err := block.size()
		if err != nil {
			return nil, errors.Join(errPacked, err)
		}
		if n > a.most {
			return nil, a.tooLarge()
		}
		if err := l.Grow(ctx, 2*n); err != nil { // the block, packed at its worst, and unpacked
			return nil, err
		}
		defer l.Shrink(2 * n)
	}
	b, err := a.read(ctx, l, from, -1)
	if err != nil && reasonOf(err) == "" && ctx.Err() == nil {
		err = errors.Join(errPacked, err)
	}
	return b, err
}

// read reads r, of a size, -1 if it is not known, to its end. The lease holds what the
// bytes that it returns have room for.
func (a *admission) read(ctx context.Context, l *fair.Lease, r io.Reader, size int64) ([]byte, error) {
	b, err := fair.ReadAll(ctx, l, r, size, a.most)
	var most *http.MaxBytesError
	if errors.Is(err, fair.ErrTooLarge) || errors.As(err, &most) {
		return nil, a.tooLarge()
	}
	return b, err
}

func (a *admission) tooLarge() error {
	return &tooLarge{"the request has more than %[2]d MiB", 0, a.most >> 20}
}
