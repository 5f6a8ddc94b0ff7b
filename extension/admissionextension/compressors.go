// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	_ "go.opentelemetry.io/collector/config/configgrpc" // registers what is wrapped here
	"google.golang.org/grpc/encoding"
)

// A gRPC server has one decompressor of its own, and that is for gzip. The
// others are those of the process: they unpack before anyone is asked, after
// the tap. So one at a time does, with a bounded window; the server bounds what
// comes out.
func init() { //nolint:gochecknoinits // where grpc-go wants it: before any connection
	for _, name := range []string{"zstd", "snappy"} {
		if known := encoding.GetCompressor(name); known != nil {
			encoding.RegisterCompressor(&oneAtATime{Compressor: known})
		}
	}
}

// oneAtATime is a compressor that unpacks one message at a time.
type oneAtATime struct {
	encoding.Compressor
	mu sync.Mutex
}

func (c *oneAtATime) Decompress(r io.Reader) (io.Reader, error) {
	c.mu.Lock()
	var from io.Reader
	var err error
	if c.Name() == "zstd" {
		from, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	} else {
		from, err = c.Compressor.Decompress(r)
	}
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	return &unpacking{Reader: from, done: sync.OnceFunc(c.mu.Unlock)}, nil
}

// unpacking is one message being unpacked. grpc-go closes it when it has read
// it, or as much of it as it will.
type unpacking struct {
	io.Reader
	done func()
}

func (u *unpacking) Close() error {
	switch c := u.Reader.(type) {
	case *zstd.Decoder:
		c.Close()
	case io.Closer:
		_ = c.Close()
	}
	u.done()
	return nil
}
