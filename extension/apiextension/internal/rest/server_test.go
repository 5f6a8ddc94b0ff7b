// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestRequestIDOfTheCallerIsKept(t *testing.T) {
	t.Parallel()
	const id = "0190d3a0-5b7a-7c3e-8d2f-0a1b2c3d4e5f"
	r := &http.Request{Header: http.Header{"X-Request-Id": {id}}}
	require.Equal(t, id, requestID(r))
}

func TestAuthenticatorInTrouble(t *testing.T) {
	t.Parallel()
	for want, auth := range map[int]extensionauth.ServerAuthenticateFunc{
		http.StatusServiceUnavailable: func(context.Context, map[string][]string) (context.Context, error) {
			return nil, fault.New(fault.Unavailable, "later")
		},
		http.StatusInternalServerError: func(ctx context.Context, _ map[string][]string) (context.Context, error) { return ctx, nil },
	} {
		s := &Server{Logger: zap.NewNop(), Auth: auth, Bodies: &Bodies{}, Timeout: time.Minute}
		w := httptest.NewRecorder()
		s.Handler(reading("/", func(*http.Request, tenant.Environment) (Response, error) {
			return OK(nil), nil
		})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		require.Equal(t, want, w.Code)
	}
}

func TestEveryKindHasItsStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]int{
		fault.Invalid: 400, fault.Unauthorized: 401, fault.Forbidden: 403, fault.NotFound: 404, fault.Conflict: 409,
		fault.TooLarge: 413, fault.NotConfigured: 501, fault.Unavailable: 503, fault.Unusable: 502, fault.Internal: 500, "": 500,
	} {
		require.Equal(t, want, statusOf(kind))
	}
	_, err := Encode(make(chan int))
	require.Error(t, err)
}

func TestABodyWithoutATypeIsTakenAtItsWord(t *testing.T) {
	t.Parallel()
	require.NoError(t, checkContentType(""))
	require.NoError(t, checkContentType("application/merge-patch+json"))
}

// A caller that left gets no answer, and nothing is wrong; one that waited too long is
// logged.
func TestCallersThatLeftAreNoErrors(t *testing.T) {
	t.Parallel()
	core, logged := observer.New(zap.DebugLevel)
	s := &Server{Logger: zap.New(core)}
	left, leave := context.WithCancel(t.Context())
	leave()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for ctx, want := range map[context.Context]zapcore.Level{left: zap.DebugLevel, late: zap.ErrorLevel, t.Context(): zap.ErrorLevel} {
		for _, err := range []error{errors.New("interrupted"), fault.Wrap(fault.Unavailable, context.Canceled, "the store is down")} {
			s.Tell(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), err)
			got := logged.TakeAll()
			require.Len(t, got, 1)
			require.Equal(t, want, got[0].Level, "%v, %v", ctx.Err(), err)
		}
	}
}

// reading is a route for the holder of an environment's key.
func reading(path string, h func(*http.Request, tenant.Environment) (Response, error)) Route {
	return Operation[None, None]{Method: http.MethodGet, Path: path, Scope: ForEnvironment}.Serve(InEnvironment(h))
}
