// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// What JavaScript's SDKs write and a decoder refuses costs neither its request
// nor its span; a span without an id is refused alone, and its sender gets the reason.
func TestOneBadSpanDoesNotCostItsRequest(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	h.start(t)
	key := h.key(t, "ours")
	now := strconv.FormatInt(time.Now().UnixNano(), 10)
	body := "\xef\xbb\xbf" + `{"resourceSpans":[{"instrumentationLibrarySpans":[{"spans":[` +
		`{"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"AQIDBAUGBwg=","parentSpanId":null,"name":"mended","kind":"CLIENT","startTimeUnixNano":"` + now + `","endTimeUnixNano":` + now + `,` +
		`"attributes":[{"key":"ai.response.avgCompletionTokensPerSecond","value":{"doubleValue":null}},{"key":"n","value":{"intValue":2.5}},{"key":"gen_ai.system","value":{"stringValue":"openai"}}]},` +
		`{"traceId":"xyz","spanId":"0102030405060709","name":"refused","startTimeUnixNano":"` + now + `"}]}]}]}`
	code, header, answer := h.postOTLP(t, "/v1/traces", key, "application/json", "", []byte(body))
	require.Equal(t, http.StatusOK, code, "%s", answer)
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.JSONEq(t, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"spans without a valid trace id of 16 bytes and span id of 8 bytes, not all zero, were refused"}}`, string(answer))
	page := h.page(t, key)
	require.EqualValues(t, 1, page.Spans.TotalResults)
	require.Equal(t, "mended", page.Spans.Data[0].Name)
	require.Equal(t, "0102030405060708090a0b0c0d0e0f10", page.Spans.Data[0].TraceID)
	require.Equal(t, "2.5", page.Spans.Data[0].SpanAttributes["n"])

	// Over protobuf, by HTTP and gRPC: an id of another length, and none.
	td := someTraces(2, 3)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	spans.AppendEmpty().SetName("without ids")
	b := protoTraces(t, td)
	code, _, answer = h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", b)
	require.Equal(t, http.StatusOK, code)
	told := ptraceotlp.NewExportResponse()
	require.NoError(t, told.UnmarshalProto(answer))
	require.EqualValues(t, 1, told.PartialSuccess().RejectedSpans())
	code, _, answer = h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", protoTraces(t, someTraces(2, 3)))
	require.Equal(t, http.StatusOK, code)
	told = ptraceotlp.NewExportResponse()
	require.NoError(t, told.UnmarshalProto(answer))
	require.Zero(t, told.PartialSuccess().RejectedSpans(), "nothing to tell")

	// A span that is past its retention when it comes, as of a sender whose clock is wrong.
	code, _, answer = h.postOTLP(t, "/v1/traces", key, "application/json", "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060709","startTimeUnixNano":"1"}]}]}]}`))
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"partialSuccess":{"errorMessage":"1 of the spans started longer ago than the 720 hours for which their environment keeps spans: they are taken, but never shown (is the sender's clock right?)"}}`, string(answer))

	conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key)
	told, err = ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
	require.NoError(t, err)
	require.EqualValues(t, 1, told.PartialSuccess().RejectedSpans())
	require.Contains(t, told.PartialSuccess().ErrorMessage(), "trace id")
	require.EqualValues(t, 4, h.page(t, key).Spans.TotalResults)
}
