// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/mcpserver"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// newRouter serves routes, and says in JSON what is not served. Agents reach the
// same routes through /mcp.
func newRouter(server *rest.Server, routes []rest.Route, version string) http.Handler {
	r := chi.NewRouter()
	r.NotFound(server.Serve(notFound))
	r.MethodNotAllowed(func(w http.ResponseWriter, q *http.Request) { methodNotAllowed(server, w, q) })
	for _, route := range routes {
		r.Method(route.Method, route.Path, server.Handler(route))
	}
	r.Handle("/mcp", mcpserver.New(afresh(r), version, server))
	return r
}

// afresh serves requests that are made while another is served, which has been
// routed already.
func afresh(r chi.Router) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.ServeHTTP(w, q.WithContext(context.WithValue(q.Context(), chi.RouteCtxKey, (*chi.Context)(nil))))
	})
}

func notFound(*http.Request) (rest.Response, error) {
	return rest.Response{}, fault.New(fault.NotFound, "there is nothing at this path")
}

// methodNotAllowed answers 405 with the methods that the path knows. The
// router comes here too for methods it never heard of, on any path.
func methodNotAllowed(server *rest.Server, w http.ResponseWriter, r *http.Request) {
	routes := chi.RouteContext(r.Context()).Routes
	path := r.URL.EscapedPath()
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		server.Serve(notFound)(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	server.Serve(func(*http.Request) (rest.Response, error) {
		return rest.Response{}, &rest.Refusal{Status: http.StatusMethodNotAllowed, Message: "this path does not know the method"}
	})(w, r)
}
