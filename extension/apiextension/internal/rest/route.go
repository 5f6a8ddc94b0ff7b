// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/collector/client"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Route is one operation: what the OpenAPI document has under the same method
// and path.
type Route struct {
	Method, Path string
	// Credential is the name of the security scheme by which callers are
	// admitted, "" for everybody.
	Credential string

	admit func(*Server) Handler
	waits bool
	// bodyOf is the method whose body the route has, and read what reads it.
	bodyOf string
	read   func(*http.Request) ([]byte, error)
}

// The security schemes of the document.
const (
	accessToken = "accessToken"
	apiKey      = "apiKey"
)

// Public is a route for everybody.
func Public(method, path string, h Handler) Route {
	return Route{Method: method, Path: path, admit: func(*Server) Handler { return h }}
}

// Operator is a route for the holder of the access token.
func Operator(method, path string, h Handler) Route {
	return Route{Method: method, Path: path, Credential: accessToken, admit: func(s *Server) Handler { return s.operator(h) }}
}

// Environment is a route for the holder of an environment's key, and hands the
// environment on: a handler cannot forget to ask whose it is.
func Environment(method, path string, h func(*http.Request, tenant.Environment) (Answer, error)) Route {
	return Route{Method: method, Path: path, Credential: apiKey, admit: func(s *Server) Handler { return s.environment(h) }}
}

// Waiting returns the route as one that may take as long as Server.Long.
func (r Route) Waiting() Route {
	r.waits = true
	return r
}

// WithBody returns the route as one whose requests have the body of another
// method of the path, which read makes of what they have instead.
func (r Route) WithBody(method string, read func(*http.Request) ([]byte, error)) Route {
	r.bodyOf, r.read = method, read
	return r
}

// Handler returns what serves a route.
func (s *Server) Handler(route Route) http.Handler {
	h := s.Bodies.known(route, route.admit(s))
	if route.waits {
		return s.serveLong(h)
	}
	return s.Serve(h)
}

func (s *Server) operator(h Handler) Handler {
	return func(r *http.Request) (Answer, error) {
		ctx, p, err := s.authenticate(r)
		if err != nil {
			return Answer{}, err
		}
		if !p.Operator {
			return Answer{}, fault.New(fault.Forbidden, "Not allowed to create organizations")
		}
		return h(r.WithContext(ctx))
	}
}

func (s *Server) environment(h func(*http.Request, tenant.Environment) (Answer, error)) Handler {
	return func(r *http.Request) (Answer, error) {
		ctx, p, err := s.authenticate(r)
		if err != nil {
			return Answer{}, err
		}
		if p.Operator {
			return Answer{}, fault.New(fault.Forbidden, "Not allowed with the access token: use the API key of an environment")
		}
		return h(r.WithContext(ctx), p.Environment)
	}
}

func (s *Server) authenticate(r *http.Request) (context.Context, *tenant.Principal, error) {
	ctx, err := s.Auth.Authenticate(r.Context(), r.Header)
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil, nil, err
	case err != nil:
		return nil, nil, fault.Wrap(fault.Unauthorized, err, "Unauthorized")
	}
	p, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	if !ok {
		return nil, nil, errors.New("the authenticator did not say who is calling")
	}
	return ctx, p, nil
}
