// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/extensionauth"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A body has its memory, and that of what is made of it, before it is read: by its length, or
// by what its route allows where it has none. Each request gives back what it held.
func TestABodyIsReadWhenItsMemoryIsThere(t *testing.T) {
	t.Parallel()
	server := resttest.Server(t, tenant.Environment{ID: "acme"})
	budget := fair.NewBudget(10_000, time.Millisecond, nil)
	server.Memory, server.MaxBody = budget.Part(10_000), 1000
	var held int64
	read := func(r *http.Request, _ tenant.Environment) (rest.Response, error) {
		body, err := rest.ReadBody(r)
		held = server.Memory.InUse()
		return rest.OK(len(body)), err
	}
	h := resttest.Handler(server, []rest.Route{resttest.Environment(http.MethodPost, "/", read)})
	ask := func(size int, length int64) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.NopCloser(strings.NewReader(strings.Repeat("x", size))))
		r.ContentLength = length
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, length := range []int64{100, -1} {
		require.Equal(t, http.StatusOK, ask(100, length).Code)
		require.EqualValues(t, 500, held, "in the end it is known")
		require.Equal(t, http.StatusRequestEntityTooLarge, ask(1001, min(1001, 10*length)).Code)
	}
	require.Equal(t, http.StatusOK, ask(1000, 1000).Code)
	require.Zero(t, server.Memory.InUse())

	other := budget.Lease("globex")
	require.NoError(t, other.Grow(t.Context(), 6000))
	for length, want := range map[int64]int{100: http.StatusOK, 1000: http.StatusTooManyRequests, -1: http.StatusTooManyRequests} {
		w := ask(100, length)
		require.Equal(t, want, w.Code, length)
		require.Equal(t, want != http.StatusOK, w.Header().Get("Retry-After") != "")
	}
	other.Release()
	require.Zero(t, budget.InUse())
}

// A client that sends all of a large body before it reads hears that it may not, whether
// anybody knows who it is or not.
func TestARefusedClientReadsWhy(t *testing.T) {
	t.Parallel()
	server := resttest.Server(t, tenant.Environment{ID: "acme"})
	known := server.Auth
	server.Auth = extensionauth.ServerAuthenticateFunc(func(ctx context.Context, sources map[string][]string) (context.Context, error) {
		if len(sources["Authorization"]) == 0 {
			return ctx, errors.New("no key")
		}
		return known.Authenticate(ctx, sources)
	})
	route := rest.Operation[rest.None, rest.None]{Method: http.MethodPost, Path: "/", Scope: rest.ForOperator}.Serve(rest.Alone(func(*http.Request) (rest.Response, error) { return rest.OK(nil), nil }))
	h := httptest.NewServer(resttest.Handler(server, []rest.Route{route}))
	defer h.Close()
	body := strings.Repeat("x", 16<<20)
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Authorization: a\r\n": http.StatusForbidden} {
		for _, sent := range []string{
			fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body),
			fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body),
		} {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", h.Listener.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\n%s%s", header, sent)
			require.NoError(t, err, "it is read to its end")
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, want, answer.StatusCode)
		}
	}
}
