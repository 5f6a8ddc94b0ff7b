// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// stopsWithin is how long systemd and Kubernetes let a process stop, as deploy/ has it.
const stopsWithin = 30 * time.Second

// halfHTTP opens a connection and sends half of a request.
func halfHTTP(t *testing.T, address, path, key string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	credential := ""
	if key != "" {
		credential = "Authorization: Bearer " + key + "\r\n"
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Type: application/json\r\nContent-Length: 100000\r\n\r\nabc", path, credential)
	require.NoError(t, err)
}

// halfGRPC opens a connection and sends half of a message; without a key
// nothing but the preface.
func halfGRPC(t *testing.T, address, key string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte(http2.ClientPreface))
	require.NoError(t, err)
	framer := http2.NewFramer(conn, conn)
	require.NoError(t, framer.WriteSettings())
	if key == "" {
		return
	}
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	for _, h := range [][2]string{
		{":method", "POST"},
		{":scheme", "http"},
		{":path", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
		{":authority", "x"},
		{"content-type", "application/grpc"},
		{"te", "trailers"},
		{"authorization", "Bearer " + key},
	} {
		require.NoError(t, headers.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]}))
	}
	require.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}))
	require.NoError(t, framer.WriteData(1, false, []byte("\x00\x00\x00\x03\xe8abc"))) // of 1000 bytes
}

// Clients that hold requests half-sent, or connections without any, do not keep
// the process from stopping in time, all of them together, and what was acknowledged
// is there afterwards.
func TestStoppingWaitsForNobody(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	key := h.key(t, "acme")
	require.NoError(t, h.exportGRPC(t, key, someTraces(1, 10)))
	halfHTTP(t, h.API, "/v2/metrics", key)
	halfHTTP(t, h.HTTP, "/v1/traces", key)
	halfHTTP(t, h.HTTP, "/v1/traces", "")
	halfHTTP(t, h.HTTP, "/v2/metrics", key) // over the port of OTLP
	halfGRPC(t, h.GRPC, key)
	halfGRPC(t, h.GRPC, "") // idle
	begun := time.Now()
	require.NoError(t, h.Signal(syscall.SIGTERM))
	<-h.Ended()
	require.Less(t, time.Since(begun), stopsWithin)
	require.Zero(t, h.ExitCode(), h.Output())

	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	require.EqualValues(t, 10, h.page(t, key).Spans.TotalResults)
}
