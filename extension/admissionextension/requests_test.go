// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

const traceExport = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// rawCodec sends bytes as they are.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*(v.(*[]byte)) = bytes.Clone(data)
	return nil
}

// call sends bytes over gRPC.
func (in *intake) call(ctx context.Context, caller string, b []byte, compressor string) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", caller)
	options := []grpc.CallOption{grpc.ForceCodec(rawCodec{}), grpc.WaitForReady(true)}
	if compressor != "" {
		options = append(options, grpc.UseCompressor(compressor))
	}
	var answer []byte
	return in.conn.Invoke(ctx, traceExport, b, &answer, options...)
}

// post sends bytes over HTTP.
func (in *intake) post(t *testing.T, caller, path, kind, encoded string, body io.Reader) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+path, body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Authorization", caller)
	if encoded != "" {
		r.Header.Set("Content-Encoding", encoded)
	}
	answer, err := in.client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header, b
}

// spans is a request of n spans with a text of so many bytes each.
func spans(t testing.TB, n, size int) (b, text []byte) {
	t.Helper()
	td := ptrace.NewTraces()
	all := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range n {
		s := all.AppendEmpty()
		s.SetName("chat")
		s.Attributes().PutStr("text", strings.Repeat("x", size))
	}
	r := ptraceotlp.NewExportRequestFromTraces(td)
	b, err := r.MarshalProto()
	require.NoError(t, err)
	text, err = r.MarshalJSON()
	require.NoError(t, err)
	return b, text
}

// nested is an OTLP message of so many lists in one another.
func nested(levels int) []byte {
	parts, size := [][]byte{{0x0a, 1, 'x'}}, 3
	for i := range 2*levels + 5 {
		tag := byte(0x0a) // ArrayValue.values
		switch {
		case i >= 2*levels:
			tag = []byte{0x12, 0x4a, 0x12, 0x12, 0x0a}[i-2*levels] // value, attributes, spans, scope_spans, resource_spans
		case i%2 == 1:
			tag = 0x2a // AnyValue.array_value
		}
		head := []byte{tag}
		for n := size; ; n >>= 7 {
			if n < 0x80 {
				head = append(head, byte(n))
				break
			}
			head = append(head, byte(n)|0x80)
		}
		size += len(head)
		parts = append(parts, head)
	}
	out := make([]byte, 0, size)
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i]...)
	}
	return out
}

// pack packs b as senders do.
func pack(t testing.TB, encoded string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch encoded {
	case "":
		return b
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "zlib", "deflate":
		w = zlib.NewWriter(&out)
	case "zstd":
		z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		require.NoError(t, err)
		w = z
	case "snappy":
		return snappy.Encode(nil, b)
	case "x-snappy-framed":
		w = snappy.NewBufferedWriter(&out)
	case "lz4":
		w = lz4.NewWriter(&out)
	}
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestRequestsArriveAsTheyWereSent(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	b, text := spans(t, 20, 40_000)
	sent := 0
	for encoded := range decoders {
		code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, encoded, bytes.NewReader(pack(t, encoded, b)))
		require.Equal(t, http.StatusOK, code, "%s: %s", encoded, answer)
		sent++
	}
	for _, encoded := range []string{"", "identity", "gzip"} {
		plain := strings.Replace(encoded, "identity", "", 1)
		code, _, answer := in.post(t, "acme", "/v1/traces", "application/json; charset=utf-8", encoded, bytes.NewReader(pack(t, plain, text)))
		require.Equal(t, http.StatusOK, code, "%s: %s", encoded, answer)
		sent++
	}
	code, _, _ := in.post(t, "acme", "/v1/traces", "application/x-protobuf", "snappy", bytes.NewReader(pack(t, "x-snappy-framed", b)))
	require.Equal(t, http.StatusOK, code)
	code, _, _ = in.post(t, "acme", "/v1/traces", protobufType, "", io.MultiReader(bytes.NewReader(b))) // its length unknown
	require.Equal(t, http.StatusOK, code)
	sent += 2
	for _, compressor := range []string{"", "gzip", "zstd", "snappy"} {
		require.NoError(t, in.call(t.Context(), "acme", b, compressor), compressor)
		sent++
	}
	require.Len(t, in.traces.AllTraces(), sent)
	for _, td := range in.traces.AllTraces() {
		require.Equal(t, 20, td.SpanCount())
		got, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		require.NoError(t, err)
		require.Equal(t, b, got)
	}

	lr := plogotlp.NewExportRequest()
	lr.Logs().ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("x")
	mr := pmetricotlp.NewExportRequest()
	mr.Metrics().ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "acme")
	_, err := plogotlp.NewGRPCClient(in.conn).Export(ctx, lr)
	require.NoError(t, err)
	_, err = pmetricotlp.NewGRPCClient(in.conn).Export(ctx, mr)
	require.NoError(t, err)
	for path, m := range map[string]interface{ MarshalProto() ([]byte, error) }{"/v1/logs": lr, "/v1/metrics": mr} {
		b, err := m.MarshalProto()
		require.NoError(t, err)
		code, _, answer := in.post(t, "acme", path, protobufType, "gzip", bytes.NewReader(pack(t, "gzip", b)))
		require.Equal(t, http.StatusOK, code, "%s", answer)
	}
	require.Equal(t, 2, in.logs.LogRecordCount())
	require.Equal(t, 2, in.metrics.DataPointCount())
	require.Zero(t, in.budget.InUse())
}

// An empty message is a message (a test of the connection, a batch of which all was
// dropped), also packed by what writes nothing for it.
func TestAnEmptyMessageIsTakenInEveryEncoding(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	for encoded := range decoders {
		code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, encoded, bytes.NewReader(pack(t, encoded, nil)))
		require.Equal(t, http.StatusOK, code, "%s: %s", encoded, answer)
	}
	code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, "snappy", bytes.NewReader(pack(t, "x-snappy-framed", nil)))
	require.Equal(t, http.StatusOK, code, "%s", answer)
	for _, compressor := range []string{"", "gzip", "zstd", "snappy"} {
		require.NoError(t, in.call(t.Context(), "acme", []byte{}, compressor), compressor)
	}
	require.Zero(t, in.budget.InUse())
}

// A refusal comes although not one byte of the message was sent: so nothing was
// waited for, unpacked or decoded.
func TestNothingIsReadOfWhoIsUnknown(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	for _, compressor := range []string{"gzip", "zstd", "snappy"} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "nobody")
		s, err := in.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, traceExport, grpc.ForceCodec(rawCodec{}), grpc.UseCompressor(compressor), grpc.WaitForReady(true))
		require.NoError(t, err)
		var answer []byte
		requireStatus(t, s.RecvMsg(&answer), codes.Unauthenticated, "unauthorized")
		requireStatus(t, in.call(t.Context(), "nobody", nested(100_000), compressor), codes.Unauthenticated, "unauthorized")
	}
	// A client that sends its body once the server asks for it is not asked.
	in.client.Transport.(*http.Transport).ExpectContinueTimeout = time.Hour
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+"/v1/traces", bytes.NewReader(nested(10)))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {protobufType}, "Content-Encoding": {"gzip"}, "Authorization": {"nobody"}, "Expect": {"100-continue"}}
	answer, err := in.client.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	require.Zero(t, in.traces.SpanCount())
}

// grpc-go forgets the context of a call that the tap refuses, with its headers,
// until its deadline.
func TestRefusedCallsAreForgotten(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	in.authenticator.refused = make(chan context.Context, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
	defer cancel()
	for range 3 {
		requireStatus(t, in.call(ctx, "nobody", []byte{}, ""), codes.Unauthenticated, "unauthorized")
		refused := <-in.authenticator.refused
		deadline, ok := refused.Deadline()
		require.True(t, ok)
		require.Greater(t, time.Until(deadline), time.Hour)
		require.ErrorIs(t, refused.Err(), context.Canceled)
	}
	b, _ := spans(t, 1, 1)
	require.NoError(t, in.call(ctx, "acme", b, ""), "the connection is as it was")
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x", strings.Repeat("x", 2*maxHeaders))
	require.Error(t, in.call(ctx, "acme", nil, ""))
	require.Zero(t, in.authenticator.asked.Load())
}

func TestNestingEndsNothing(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	bomb := nested(3_000_000)
	for _, compressor := range []string{"", "gzip", "zstd"} {
		requireStatus(t, in.call(t.Context(), "acme", bomb, compressor), codes.InvalidArgument, "more than 64 levels of nested values")
	}
	for _, encoded := range []string{"", "gzip"} {
		code, header, answer := in.post(t, "acme", "/v1/traces", protobufType, encoded, bytes.NewReader(pack(t, encoded, bomb)))
		require.Equal(t, http.StatusBadRequest, code)
		require.Equal(t, protobufType, header.Get("Content-Type"))
		var s spb.Status
		require.NoError(t, proto.Unmarshal(answer, &s))
		require.EqualValues(t, 3, s.Code)
		require.Contains(t, s.Message, "more than 64 levels")
	}
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"d","value":` +
		strings.Repeat(`{"arrayValue":{"values":[`, 1_000_000) + `{}` + strings.Repeat(`]}}`, 1_000_000) + `}]}]}]}]}`
	code, header, answer := in.post(t, "acme", "/v1/traces", jsonType, "gzip", bytes.NewReader(pack(t, "gzip", []byte(text))))
	require.Equal(t, http.StatusBadRequest, code)
	require.Equal(t, []string{jsonType}, header.Values("Content-Type"))
	var s spb.Status
	require.NoError(t, protojson.Unmarshal(answer, &s))
	require.Contains(t, s.Message, "more than 64 levels")

	require.NoError(t, in.call(t.Context(), "acme", nested(63), ""))
	require.Equal(t, 1, in.traces.SpanCount())
	require.Zero(t, in.budget.InUse())
}

func TestWhatUnpacksToTooMuch(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB = 8, 64 }, nil)
	large, _ := spans(t, 1, 9<<20)
	for encoded := range decoders {
		code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, encoded, bytes.NewReader(pack(t, encoded, large)))
		require.Equal(t, http.StatusRequestEntityTooLarge, code, "%s: %s", encoded, answer)
		require.Contains(t, string(answer), "more than 8 MiB")
	}
	requireStatus(t, in.call(t.Context(), "acme", large, "gzip"), codes.InvalidArgument, "more than 8 MiB")

	for encoded := range decoders {
		packed := pack(t, encoded, bytes.Repeat([]byte("What is it worth? "), 100_000))
		for _, broken := range [][]byte{packed[:len(packed)/2], []byte("no such thing"), append(bytes.Clone(packed[:20]), bytes.Repeat([]byte{7}, 50)...)} {
			code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, encoded, bytes.NewReader(broken))
			require.Equal(t, http.StatusBadRequest, code, "%s: %s", encoded, answer)
		}
	}
	requireStatus(t, in.call(t.Context(), "acme", []byte{packedMark, 1, 2}, ""), codes.InvalidArgument, "")
	for _, encoded := range []string{"br", "gzip, gzip", "GZIP, gzip", "compress"} {
		code, _, answer := in.post(t, "acme", "/v1/traces", jsonType, encoded, strings.NewReader("{}"))
		require.Equal(t, http.StatusUnsupportedMediaType, code)
		require.Contains(t, string(answer), "content encoding")
	}
	require.Zero(t, in.traces.SpanCount())
	require.Zero(t, in.budget.InUse())
}

// wideZstd is a frame whose window is larger than is taken.
func wideZstd(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithWindowSize(2*maxWindow), zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(false))
	require.NoError(t, err)
	for range 3 * maxWindow >> 20 {
		_, err = z.Write(bytes.Repeat([]byte("What is it worth? "), 1<<20/18))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.Bytes()
}

func TestZstdWindowsAreBounded(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, "zstd", bytes.NewReader(wideZstd(t)))
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, string(answer), "does not unpack")

	from, err := encoding.GetCompressor("zstd").Decompress(bytes.NewReader(wideZstd(t)))
	require.NoError(t, err)
	defer from.(io.Closer).Close()
	_, err = io.Copy(io.Discard, from)
	require.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
}

func TestWhatGrowsInMemory(t *testing.T) {
	t.Parallel()
	in := newIntake(t, func(c *Config) { c.RequestMiB, c.MemoryMiB, c.Limits.Records = 16, 64, 1<<30 }, nil)
	grows := bytes.Repeat([]byte{0x0a, 0}, 7<<20) // seven million resources of two bytes
	requireStatus(t, in.call(t.Context(), "acme", grows, "gzip"), codes.InvalidArgument, "of memory; at most 64 are there")
	code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, "gzip", bytes.NewReader(pack(t, "gzip", grows)))
	require.Equal(t, http.StatusRequestEntityTooLarge, code, "%s", answer)

	large, _ := spans(t, 1, 15<<20) // more than its share with all that is made of it, and alone
	require.NoError(t, in.call(t.Context(), "acme", large, ""))
	code, _, answer = in.post(t, "acme", "/v1/traces", protobufType, "gzip", bytes.NewReader(pack(t, "gzip", large)))
	require.Equal(t, http.StatusOK, code, "%s", answer)
}

func TestNamesOfEncodingsHaveNoCase(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	b, _ := spans(t, 3, 100)
	for _, name := range []string{"GZIP", "Gzip"} {
		code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, name, bytes.NewReader(pack(t, "gzip", b)))
		require.Equal(t, http.StatusOK, code, "%s", answer)
	}
	code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, "Identity", bytes.NewReader(b))
	require.Equal(t, http.StatusOK, code, "%s", answer)
}

func TestTheServerMayUnpack(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, map[string]any{"compression_algorithms": []any{"", "gzip"}})
	b, _ := spans(t, 3, 100)
	code, _, answer := in.post(t, "acme", "/v1/traces", protobufType, "gzip", bytes.NewReader(pack(t, "gzip", b)))
	require.Equal(t, http.StatusOK, code, "%s", answer)
	require.Equal(t, 3, in.traces.SpanCount())
	code, _, _ = in.post(t, "acme", "/v1/traces", protobufType, "gzip", bytes.NewReader(pack(t, "gzip", nested(100))))
	require.Equal(t, http.StatusBadRequest, code)
}

func TestWhatTheReceiverRefusesByItself(t *testing.T) {
	t.Parallel()
	in := newIntake(t, nil, nil)
	code, _, _ := in.post(t, "acme", "/v1/traces", "text/plain", "", strings.NewReader("x"))
	require.Equal(t, http.StatusUnsupportedMediaType, code)
	code, _, _ = in.post(t, "acme", "/v2/other", jsonType, "", strings.NewReader("{}"))
	require.Equal(t, http.StatusNotFound, code)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, in.url+"/v1/traces", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "acme")
	answer, err := in.client.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	code, _, _ = in.post(t, "acme", "/v1/traces", jsonType, "", strings.NewReader(`{"resourceSpans":[`))
	require.Equal(t, http.StatusBadRequest, code)
}
