// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Only Linux has all of 127.0.0.0/8 as its own addresses.

// A client that opens connections without end gets no more than its share, and senders of
// other addresses have theirs, over gRPC and HTTP.
func TestWhoOpensConnectionsWithoutEnd(t *testing.T) {
	t.Parallel()
	var sink consumertest.TracesSink
	in := start(t, NewFactory(), &sink, nil, nil, map[string]any{"connections": map[string]any{"max": 40, "per_address": 10}})
	for transport, to := range map[string]string{"grpc": in.grpc, "http": in.http} {
		held := hold(t, to, "127.0.0.9", 100)
		require.Eventually(t, func() bool { return closed(held) == 90 }, time.Minute, time.Millisecond)
		values := in.values(t)
		require.EqualValues(t, 90, values["touchstone_otlp_connections_refused "+transport])
		require.GreaterOrEqual(t, values["touchstone_otlp_connections "+transport], int64(10))
	}
	for range 5 {
		_, err := ptraceotlp.NewGRPCClient(in.dial(t)).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(oneSpan()))
		require.NoError(t, err)
		body, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalProto()
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, in.post(t, "/v1/traces", protobufType, string(body)).code)
	}
	require.Len(t, sink.AllTraces(), 10)
}

// Many addresses take all places, and senders are served as soon as silent
// connections are closed.
func TestAllPlacesAreTaken(t *testing.T) {
	t.Parallel()
	var sink consumertest.TracesSink
	in := start(t, NewFactory(), &sink, nil, map[string]any{"read_header_timeout": "2s"}, map[string]any{"connections": map[string]any{"max": 8, "per_address": 2}})
	for _, from := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6", "127.0.0.7"} {
		hold(t, in.http, from, 2)
	}
	body, err := ptraceotlp.NewExportRequestFromTraces(oneSpan()).MarshalProto()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, in.post(t, "/v1/traces", protobufType, string(body)).code)
	require.EqualValues(t, 0, in.values(t)["touchstone_otlp_connections_refused http"])
}
