// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// rawMessage is sent over gRPC as it is.
type rawMessage struct{}

func (rawMessage) Name() string                       { return "proto" }
func (rawMessage) Marshal(v any) ([]byte, error)      { return v.([]byte), nil }
func (rawMessage) Unmarshal(data []byte, v any) error { *(v.(*[]byte)) = bytes.Clone(data); return nil }

// callGRPC sends b as a request for traces; without a key if it is empty.
func (h *collector) callGRPC(ctx context.Context, conn *grpc.ClientConn, key string, b []byte, compressor string) error {
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
	}
	options := []grpc.CallOption{grpc.ForceCodec(rawMessage{})}
	if compressor != "" {
		options = append(options, grpc.UseCompressor(compressor))
	}
	var answer []byte
	return conn.Invoke(ctx, "/opentelemetry.proto.collector.trace.v1.TraceService/Export", b, &answer, options...)
}

// nestedMessage is one span whose one attribute nests so many lists.
func nestedMessage(levels int) []byte {
	var parts [][]byte
	size := 3
	wrap := func(tag byte) {
		head := []byte{tag}
		n := size
		for ; n >= 0x80; n >>= 7 {
			head = append(head, byte(n)|0x80)
		}
		head = append(head, byte(n))
		size += len(head)
		parts = append(parts, head)
	}
	for range levels {
		wrap(0x0a) // ArrayValue.values
		wrap(0x2a) // AnyValue.array_value
	}
	for _, tag := range []byte{0x12, 0x4a, 0x12, 0x12, 0x0a} { // value, attributes, spans, scope_spans, resource_spans
		wrap(tag)
	}
	out := make([]byte, 0, size)
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i]...)
	}
	return append(out, 0x0a, 1, 'x')
}

// gzipped is b so many times, with something before and after, packed.
func gzipped(t *testing.T, before, b, after string, times int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	chunk := strings.Repeat(b, 1000)
	_, err := io.WriteString(z, before)
	require.NoError(t, err)
	for range times / 1000 {
		_, err = io.WriteString(z, chunk)
		require.NoError(t, err)
	}
	_, err = io.WriteString(z, after)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

// peakMiB is the most memory that the process has had.
func (h *collector) peakMiB(t *testing.T) int {
	t.Helper()
	file, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.Pid()))
	require.NoError(t, err)
	for line := range strings.Lines(string(file)) {
		var kib int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib >> 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// What a hostile client sends, with a key and without, ends nothing, takes no
// gigabyte, and leaves others their service.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	hostile, good := h.key(t, "hostile"), h.key(t, "good")
	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx := t.Context()
	bomb := nestedMessage(3_000_000)
	for _, compressor := range []string{"", "gzip"} {
		require.Equal(t, codes.Unauthenticated, status.Code(h.callGRPC(ctx, conn, "", bomb, compressor)))
		err := h.callGRPC(ctx, conn, hostile, bomb, compressor)
		require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
		require.ErrorContains(t, err, "more than 64 levels of nested values")
	}
	const protobuf, json = "application/x-protobuf", "application/json"
	for _, path := range []string{"/v1/traces", "/v1/traces/", "/"} { // in every spelling
		code, _, answer := h.postOTLP(t, path, hostile, protobuf, "", bomb)
		require.Equal(t, http.StatusBadRequest, code, "%s", answer)
	}
	deep := gzipped(t, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"d","value":`, `{"arrayValue":{"values":[`, "", 2_000_000)
	code, _, answer := h.postOTLP(t, "/v1/traces", hostile, json, "gzip", deep)
	require.Equal(t, http.StatusBadRequest, code)
	require.Contains(t, string(answer), "more than 64 levels of nested values")
	code, _, _ = h.postOTLP(t, "/v1/metrics", hostile, protobuf, "", bytes.Repeat([]byte{0x0a, 0}, 100_000)) // accepted and not kept, and bounded alike
	require.Equal(t, http.StatusBadRequest, code)

	for name, want := range map[string]int{
		"scopeSpans": http.StatusBadRequest, "instrumentation_library_spans": http.StatusBadRequest, "instrumentationLibrarySpans": http.StatusBadRequest,
		"instrumentation__library__spans": http.StatusOK, // an unknown member
	} {
		groups := gzipped(t, `{"resourceSpans":[{"`+name+`":[`, `{},`, `{}]}]}`, 10_000_000)
		code, _, answer = h.postOTLP(t, "/v1/traces", hostile, json, "gzip", groups)
		require.Equal(t, want, code, "%s: %s", name, answer)
	}

	// Ten at once that unpack to a gigabyte, and ten that grow when decoded.
	zeros := gzipped(t, "", strings.Repeat("\x00", 1024), "", 1<<20)
	grow := bytes.Repeat([]byte{0x0a, 0}, 30<<20)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			code, _, _ := h.postOTLP(t, "/v1/traces", "", protobuf, "gzip", zeros)
			if code != http.StatusUnauthorized {
				t.Errorf("without a key: %d", code)
			}
			code, _, answer := h.postOTLP(t, "/v1/traces", hostile, protobuf, "gzip", zeros)
			if code != http.StatusRequestEntityTooLarge && code != http.StatusTooManyRequests {
				t.Errorf("a gzip bomb: %d %s", code, answer)
			}
			if code := status.Code(h.callGRPC(ctx, conn, hostile, grow, "gzip")); code != codes.InvalidArgument && code != codes.ResourceExhausted {
				t.Errorf("what grows: %v", code)
			}
		})
	}
	sent := 0
	for range 20 {
		if err := h.exportGRPC(t, good, someTraces(byte(sent+1), 10)); err == nil {
			sent++
		}
	}
	wg.Wait()
	require.GreaterOrEqual(t, sent, 16, "of twenty requests of another environment")
	require.EqualValues(t, 10*sent, must[testbed.Page](t, h, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", good, nil).Spans.TotalResults)
	require.Less(t, h.peakMiB(t), 1000)
	require.NoError(t, h.Stop())
}

// A text beyond 1 MiB is stored by its beginning and says so.
func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "acme")
	td := someTraces(1, 1)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("text", strings.Repeat("x", 3<<20))
	require.NoError(t, h.exportGRPC(t, key, td))
	text := h.page(t, key).Spans.Data[0].SpanAttributes["text"]
	require.Len(t, text, 1<<20)
	require.True(t, strings.HasSuffix(text, "x… [cut: 3145728 bytes]"))
}
