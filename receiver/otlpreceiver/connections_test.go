// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// hold opens silent connections from an address of this machine until n are there
// or the server closes them.
func hold(t *testing.T, to, from string, n int) []net.Conn {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
	held := make([]net.Conn, 0, n)
	for range n {
		c, err := dialer.DialContext(t.Context(), "tcp", to)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		held = append(held, c)
	}
	return held
}

// closed counts the connections that the server closed.
func closed(held []net.Conn) int {
	n := 0
	for _, c := range held {
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, err := io.Copy(io.Discard, c); !os.IsTimeout(err) {
			n++
		}
	}
	return n
}

func TestConnectionsAreBoundedBeneathTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, known, err := testbed.Certificate(t.TempDir())
	require.NoError(t, err)
	secured := map[string]any{"tls": map[string]any{"cert_file": certFile, "key_file": keyFile}}

	var sink consumertest.TracesSink
	in := start(t, NewFactory(), &sink, secured, secured, map[string]any{"connections": map[string]any{"max": 4, "per_address": 2}})
	conn, err := grpc.NewClient(in.grpc, grpc.WithTransportCredentials(credentials.NewTLS(known)))
	require.NoError(t, err)
	defer conn.Close()
	_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(oneSpan()))
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: known, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("https://" + in.http + "/v1/traces")
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
	require.Equal(t, 2, answer.ProtoMajor)
	for _, to := range []string{in.grpc, in.http} {
		held := hold(t, to, "127.0.0.1", 5)
		require.Eventually(t, func() bool { return closed(held) == 4 }, time.Minute, time.Millisecond)
	}
	plain, err := grpc.NewClient(in.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer plain.Close()
	_, err = ptraceotlp.NewGRPCClient(plain).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(oneSpan()))
	require.Error(t, err)
}
