// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"go.opentelemetry.io/collector/client"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Route is one operation: what the OpenAPI document has under the same method
// and path.
type Route struct {
	Method, Path string
	// Credentials are the names of the security schemes by which callers are
	// admitted, none for everybody.
	Credentials []string
	// Access is what the scope of a key has to allow.
	Access tenant.Access

	// denied is the error for a credential of the wrong kind.
	denied string
	action string // of the audit log, "" where it does not have the route
	handle callerHandler
	waits  bool
	idles  bool
	// bodyOf is the method whose body the route has, and read what reads it.
	bodyOf string
	read   func(*http.Request) ([]byte, error)
	// describe returns the operation as the document has it.
	describe func(*schemas) object
}

// The security schemes of the document.
const (
	accessToken = "accessToken"
	apiKey      = "apiKey"
)

// callerHandler answers a request with a caller, nil where everybody is admitted.
type callerHandler func(*http.Request, *tenant.Principal) (Response, error)

// Denying returns the route as one with a sentence of its own for callers with
// the wrong kind of credential.
func (r Route) Denying(sentence string) Route {
	r.denied = sentence
	return r
}

// Reading returns the route as one that changes nothing, whatever its method
// is, and costs no money: a key that only reads is good for it.
func (r Route) Reading() Route {
	r.Access = tenant.Reading
	return r
}

// Accompanying returns the route as one that SDKs ask by themselves with the key that
// they send telemetry with: a key of any scope is good for it.
func (r Route) Accompanying() Route {
	r.Access = tenant.Accompanying
	return r
}

// Following returns the route as one that gives a sidecar what it works with.
func (r Route) Following() Route {
	r.Access = tenant.Following
	return r
}

// Waiting returns the route as one that may take as long as Server.Long.
func (r Route) Waiting() Route {
	r.waits = true
	return r
}

// Uncounted returns the route as one whose requests do next to nothing while they
// wait: they are not among those that an environment may have under way at once.
func (r Route) Uncounted() Route {
	r.idles = true
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
	h := s.Bodies.known(route, s.admit(route))
	if route.waits {
		return s.serveLong(h)
	}
	return s.Serve(h)
}

// admit is the one place where callers are identified and what they may do is
// decided. A caller that waited long is looked at again before the answer: the key may
// have been revoked meanwhile.
func (s *Server) admit(route Route) Handler {
	if len(route.Credentials) == 0 {
		return func(r *http.Request) (Response, error) { return route.handle(r, nil) }
	}
	return func(r *http.Request) (Response, error) {
		ctx, p, err := s.authenticate(r)
		if err == nil {
			err = route.allows(p)
		}
		if err == nil {
			err = s.mayChange(&route, p)
		}
		if err != nil {
			s.auditRefusal(&route, r, p, err)
			return Response{}, err
		}
		intakeOf(ctx).begin(s.Memory, p.Environment.ID, s.mostOf(&route))
		if !route.idles {
			leave, err := s.beginRequest(ctx, &p.Environment)
			if err != nil {
				return Response{}, err
			}
			defer leave()
		}
		r = r.WithContext(ctx)
		got, err := route.handle(r, p)
		got.owner = p.Environment.ID
		if err == nil {
			s.audit(&route, r, p, &got)
		}
		if err == nil && route.waits {
			_, _, err = s.authenticate(r)
		}
		return got, err
	}
}

// mostOf returns how many bytes the body of a request may have.
func (s *Server) mostOf(route *Route) int64 {
	if route.Access == tenant.Reading {
		return min(maxQuestion, s.MaxBody)
	}
	return s.MaxBody
}

// allows returns nil if the caller may use the route, and else a fault.
func (r *Route) allows(p *tenant.Principal) error {
	scheme := apiKey
	if p.Operator {
		scheme = accessToken
	}
	switch {
	case !slices.Contains(r.Credentials, scheme):
		return fault.New(fault.Forbidden, "%s", r.denied)
	case p.Operator:
		return nil
	}
	return p.Check(r.Access)
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
