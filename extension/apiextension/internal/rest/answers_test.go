// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/freemem"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Readers that do not read have what they asked for kept, up to a bound of their
// environment and one of all; others are answered, and so are they once these leave.
func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	t.Parallel()
	var freed atomic.Int64
	giver := freemem.After(time.Millisecond, func() { freed.Add(1) })
	memory := fair.NewBudget(100<<20, time.Minute, giver.Used).Part(110 << 20)
	s := &Server{
		Logger: zap.NewNop(), Bodies: &Bodies{}, Timeout: time.Minute, Memory: memory,
		Auth: extensionauth.ServerAuthenticateFunc(func(ctx context.Context, headers map[string][]string) (context.Context, error) {
			env := tenant.Environment{ID: tenant.EnvironmentID(headers["Authorization"][0])}
			return client.NewContext(ctx, client.Info{Auth: &tenant.Principal{Environment: env, Scope: tenant.Read}}), nil
		}),
	}
	text := strings.Repeat("x", 20<<20)
	mux := http.NewServeMux()
	mux.Handle("/large", s.Handler(reading("/large", func(*http.Request, tenant.Environment) (Response, error) { return OK(text), nil })))
	mux.Handle("/small", s.Handler(reading("/small", func(*http.Request, tenant.Environment) (Response, error) { return OK("small"), nil })))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ask := func(path, env string) (int, string, int) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
		require.NoError(t, err)
		req.Header.Set("Authorization", env)
		resp, err := server.Client().Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, resp.Header.Get("Retry-After"), len(body)
	}
	var readers []net.Conn
	stall := func(env string, n int) {
		for range n {
			before := memory.InUse()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
			_, err = io.WriteString(conn, "GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: "+env+"\r\n\r\n")
			require.NoError(t, err)
			readers = append(readers, conn)
			t.Cleanup(func() { _ = conn.Close() }) // or the server would wait for it
			require.Eventually(t, func() bool { return memory.InUse() > before+int64(len(text)) }, time.Minute, time.Millisecond)
		}
	}
	stall("a", 2)
	status, again, _ := ask("/large", "a")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.NotEmpty(t, again)
	status, _, _ = ask("/small", "a")
	require.Equal(t, http.StatusOK, status, "what is small is answered")
	status, _, n := ask("/large", "b")
	require.Equal(t, http.StatusOK, status, "another environment is")
	require.Greater(t, n, len(text))
	require.Eventually(t, func() bool { return memory.InUse() < 3*int64(len(text)) }, time.Minute, time.Millisecond)
	stall("b", 2)
	stall("c", 1)
	status, again, _ = ask("/large", "d")
	require.Equal(t, http.StatusTooManyRequests, status, "of all there is too much")
	require.NotEmpty(t, again)

	for _, conn := range readers {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool { return memory.InUse() == 0 }, time.Minute, time.Millisecond)
	status, _, _ = ask("/large", "a")
	require.Equal(t, http.StatusOK, status)
	require.Eventually(t, func() bool { return freed.Load() > 0 }, time.Minute, time.Millisecond)
}
