// SPDX-License-Identifier: Apache-2.0

// Package resttest serves the routes of one resource to its tests, with the
// bodies that the OpenAPI document describes and one environment that calls.
package resttest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bodies returns the schemas of the API's document, for a test of another package
// than rest.
func Bodies(t testing.TB) *rest.Bodies {
	t.Helper()
	document, err := os.ReadFile("../../openapi.json")
	require.NoError(t, err)
	bodies, err := rest.NewBodies(document)
	require.NoError(t, err)
	return bodies
}

// Server returns a server to which every request is one of the environment.
func Server(t testing.TB, env tenant.Environment) *rest.Server {
	t.Helper()
	return &rest.Server{
		Logger: zap.NewNop(), Bodies: Bodies(t), Timeout: time.Minute, Long: time.Minute,
		Memory: fair.NewBudget(256<<20, time.Minute, nil).Part(256 << 20), MaxBody: 4 << 20,
		Auth: extensionauth.ServerAuthenticateFunc(func(ctx context.Context, _ map[string][]string) (context.Context, error) {
			return client.NewContext(ctx, client.Info{Auth: &tenant.Principal{Environment: env, Scope: tenant.Full}}), nil
		}),
	}
}

// Handler returns what serves the routes.
func Handler(server *rest.Server, routes []rest.Route) http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		mux.Handle(route.Method+" "+route.Path, server.Handler(route))
	}
	return mux
}

// Call sends a request with a JSON body, "" for none.
func Call(t testing.TB, h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w
}

// Environment returns a route for the holder of an environment's key.
func Environment(method, path string, h func(*http.Request, tenant.Environment) (rest.Response, error)) rest.Route {
	return rest.Operation[rest.None, rest.None]{Method: method, Path: path, Scope: rest.ForEnvironment}.Serve(rest.InEnvironment(h))
}
