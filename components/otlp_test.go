// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// What real SDKs sent goes in as they sent it, and comes out of the API as the
// expectation says.
func requireRecordings(t *testing.T, h *collector) {
	t.Helper()
	expected := genaitest.ExpectedSpans(t)
	recordings := genaitest.Recordings(t)
	tested := 0
	for _, r := range recordings {
		if r.Signal != genaitest.Traces {
			continue
		}
		t.Run(r.File, func(t *testing.T) {
			key := h.key(t, r.File) // recordings of one application share trace ids
			fresh, err := r.At(time.Now())
			require.NoError(t, err)
			code, header, answer := h.postOTLP(t, r.Path, key, r.ContentType, r.ContentEncoding, fresh.Body)
			require.Equal(t, http.StatusOK, code, "%s", answer)
			require.Contains(t, header.Get("Content-Type"), mediaType(r.ContentType))
			if logs, ok := recording(recordings, strings.Replace(r.File, "-2.json.gz", "-logs-1.json.gz", 1)); ok && logs.Signal == genaitest.Logs {
				h.replay(t, key, logs)
			}
			want := map[string]genaitest.Expected{}
			for _, e := range expected[r.File] {
				want[e.SpanID] = e
			}
			page := h.page(t, key, "limit", "1000")
			require.Len(t, page.Spans.Data, len(want))
			for _, got := range page.Spans.Data {
				compare(t, want[got.SpanID], got)
			}
		})
		tested++
	}
	require.GreaterOrEqual(t, tested, len(expected))
}

func mediaType(contentType string) string {
	if bytes.HasPrefix([]byte(contentType), []byte("application/json")) {
		return "application/json"
	}
	return "application/x-protobuf"
}

func compare(t *testing.T, want genaitest.Expected, got testbed.Span) {
	t.Helper()
	require.Equal(t, want.Name, got.Name)
	require.Equal(t, want.Kind, got.Kind)
	require.Equal(t, want.StatusCode, got.StatusCode)
	require.Equal(t, want.StatusMessage, got.StatusMessage)
	require.Equal(t, want.TraceState, got.TraceState)
	require.Equal(t, want.ScopeName, got.ScopeName)
	require.Equal(t, want.ScopeVersion, got.ScopeVersion)
	require.Equal(t, want.Service, got.Service)
	require.Equal(t, want.Prompts, got.Prompts)
	require.Equal(t, want.Completions, got.Completions)
	require.Equal(t, want.Input, got.Input)
	require.Equal(t, want.Output, got.Output)
	for k, v := range want.Derived {
		require.Equal(t, v, got.SpanAttributes[k], k)
	}
}

// The messages that only log records carry join their span, whichever of the
// two comes first.
func requireMessagesInLogRecordsJoinTheirSpan(t *testing.T, h *collector) {
	t.Helper()
	recordings := genaitest.Recordings(t)
	for _, order := range [][]string{
		{"otel-js-contrib-openai-0.22.0-chat-2.json.gz", "otel-js-contrib-openai-0.22.0-chat-logs-1.json.gz"},
		{"otel-js-contrib-openai-0.22.0-chat-logs-1.json.gz", "otel-js-contrib-openai-0.22.0-chat-2.json.gz"},
	} {
		key := h.key(t, "ours")
		for _, file := range order {
			r, ok := recording(recordings, file)
			require.True(t, ok, file)
			h.replay(t, key, r)
		}
		page := h.page(t, key)
		require.EqualValues(t, 1, page.Spans.TotalResults)
		got := page.Spans.Data[0]
		require.Equal(t, "user", got.Prompts["llm.prompts.1.role"])
		require.Contains(t, got.Prompts["llm.prompts.1.content"], "capital of France")
		require.Contains(t, got.Completions["llm.completions.0.content"], "Paris")
		found := h.page(t, key, "filters", filters(t, map[string]any{"id": "completions", "operator": "contains", "value": "Paris"}))
		require.EqualValues(t, 1, found.Spans.TotalResults)
	}
}

func recording(all []genaitest.Recording, file string) (genaitest.Recording, bool) {
	for _, r := range all {
		if r.File == file {
			return r, true
		}
	}
	return genaitest.Recording{}, false
}

// replay sends a recording as if it happened now.
func (h *collector) replay(t *testing.T, key string, r genaitest.Recording) {
	t.Helper()
	fresh, err := r.At(time.Now())
	require.NoError(t, err)
	code, _, answer := h.postOTLP(t, r.Path, key, r.ContentType, r.ContentEncoding, fresh.Body)
	require.Equal(t, http.StatusOK, code, "%s", answer)
}

// The SDK of OpenTelemetry itself, over both protocols.
func TestOpenTelemetrySDK(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	headers := map[string]string{"authorization": "bearer " + key} // the scheme's case does not matter
	overGRPC, err := otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(h.GRPC), otlptracegrpc.WithInsecure(), otlptracegrpc.WithHeaders(headers))
	require.NoError(t, err)
	overHTTP, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(h.HTTP+"/v1/traces"), otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	require.NoError(t, err)
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(overGRPC), sdktrace.WithBatcher(overHTTP))
	_, s := provider.Tracer("tests").Start(t.Context(), "chat")
	s.SetAttributes(attribute.String("gen_ai.provider.name", "openai"), attribute.Int("gen_ai.usage.input_tokens", 3))
	s.End()
	require.NoError(t, provider.Shutdown(t.Context()))

	page := h.page(t, key) // sent twice, stored once
	require.EqualValues(t, 1, page.Spans.TotalResults)
	require.Equal(t, "3", page.Spans.Data[0].SpanAttributes["llm.usage.input_tokens"])
}

func protoTraces(t *testing.T, td ptrace.Traces) []byte {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	require.NoError(t, err)
	return body
}

// Everything that published SDKs do to the path, the body and its framing.
func TestIntakeOverHTTP(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	proto := protoTraces(t, someTraces(1, 1))
	json, err := ptraceotlp.NewExportRequestFromTraces(someTraces(1, 1)).MarshalJSON()
	require.NoError(t, err)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err = z.Write(proto)
	require.NoError(t, err)
	require.NoError(t, z.Close())

	for _, c := range []struct {
		name, path, contentType, encoding string
		body                              []byte
	}{
		{"protobuf", "/v1/traces", "application/x-protobuf", "", proto},
		{"JSON", "/v1/traces", "application/json", "", json},
		{"JSON with charset", "/v1/traces", "application/json; charset=utf-8", "", json},
		{"gzip", "/v1/traces", "application/x-protobuf", "gzip", zipped.Bytes()},
		{"double slash", "//v1/traces", "application/x-protobuf", "", proto},
		{"trailing slash", "/v1/traces/", "application/json", "", json},
		{"root", "/", "application/x-protobuf", "", proto},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := h.key(t, c.name)
			code, header, answer := h.postOTLP(t, c.path, key, c.contentType, c.encoding, c.body)
			require.Equal(t, http.StatusOK, code, "%s", answer)
			require.Contains(t, header.Get("Content-Type"), mediaType(c.contentType))
			require.EqualValues(t, 1, h.page(t, key).Spans.TotalResults)
		})
	}

	t.Run("chunked", func(t *testing.T) {
		key := h.key(t, "chunked")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.HTTP+"/v1/traces", io.MultiReader(bytes.NewReader(proto)))
		require.NoError(t, err)
		require.Zero(t, req.ContentLength)
		req.Header.Set("Content-Type", "application/x-protobuf")
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.EqualValues(t, 1, h.page(t, key).Spans.TotalResults)
	})

	t.Run("garbage", func(t *testing.T) {
		key := h.key(t, "garbage")
		code, _, _ := h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", []byte("garbage"))
		require.Equal(t, http.StatusBadRequest, code)
		code, _, _ = h.postOTLP(t, "/v1/traces", key, "text/plain", "", proto)
		require.Equal(t, http.StatusUnsupportedMediaType, code)
	})
}

// Large batches of LLM text are taken, up to the stated 64 MiB.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	key := h.key(t, "ours")
	large := func(mib int) ptrace.Traces { // a text of 1 MiB on each span
		td := someTraces(1, mib)
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.Attributes().PutStr("gen_ai.completion.0.content", string(bytes.Repeat([]byte("é"), 1<<19)))
		}
		return td
	}
	require.NoError(t, h.exportGRPC(t, key, large(20)))
	spans := 0
	for cursor := ""; ; { // a page ends where it has much text
		page := h.page(t, key, "cursor", cursor)
		require.EqualValues(t, 20, page.Spans.TotalResults)
		spans += len(page.Spans.Data)
		for _, s := range page.Spans.Data {
			require.Len(t, s.Completions["llm.completions.0.content"], 1<<20)
		}
		if cursor = page.Spans.NextCursor; cursor == "" {
			break
		}
	}
	require.Equal(t, 20, spans)
	require.Equal(t, codes.ResourceExhausted, status.Code(h.exportGRPC(t, key, large(65))))
	code, _, _ := h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", protoTraces(t, large(65)))
	require.Contains(t, []int{http.StatusRequestEntityTooLarge, http.StatusBadRequest}, code)
}
