// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Operation is one operation of the API. The OpenAPI document and the check of
// requests are made of it.
//
// The fields of In are its parameters, with tags path, query or header, and the
// members of its body, with json. Out is the body of its answer. None stands for
// nothing.
type Operation[In, Out any] struct {
	Method, Path string
	Scope        Scope
	// Tag groups operations in the document, ID names this one.
	Tag, ID, Summary, Doc string
	// Status of the answer, 200 where it is 0; Answer describes it.
	Status int
	Answer string
	// Headers of the answer, by the names that the document has for them.
	Headers map[string]string
	// Others are answers of other statuses that are no refusals.
	Others map[int]Other
	// Refusals are the statuses besides those that its scope and In bring.
	Refusals []int
}

// Other is an answer besides the one that an operation has when all is well.
type Other struct {
	Text    string
	Headers map[string]string
	Empty   bool // without a body
}

// None is an input or an answer without content.
type None struct{}

// Scope says who may call an operation.
type Scope struct {
	// credentials are the names of the security schemes by which callers are
	// admitted, none for everybody.
	credentials []string
	access      tenant.Access
	denied      string // the error for a credential of the wrong kind
}

// The scopes.
var (
	// ForAll needs no credential.
	ForAll = Scope{}
	// ForOperator needs the access token.
	ForOperator = Scope{credentials: []string{accessToken}, denied: "Not allowed with an API key: organizations and keys take the access token"}
	// ForEnvironment needs the key of an environment. The scope of the key has to
	// allow reading where the method is GET, and writing elsewhere.
	ForEnvironment = Scope{credentials: []string{apiKey}, access: tenant.Writing, denied: "Not allowed with the access token: use the API key of an environment"}
	// ForCaller needs any credential; a key has to allow reading.
	ForCaller = Scope{credentials: []string{apiKey, accessToken}, access: tenant.Reading}
)

// Call is a request of an operation and what its handler says besides the body
// of the answer.
type Call struct {
	*http.Request
	// Principal is who is calling, nil where everybody may.
	Principal *tenant.Principal

	header http.Header
	status int
	made   []string
}

// Env returns the environment of the caller's key.
func (c *Call) Env() tenant.Environment { return c.Principal.Environment }

// Set sets a header of the answer.
func (c *Call) Set(name, value string) {
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(name, value)
}

// SetStatus sets another status of the answer than the operation has.
func (c *Call) SetStatus(status int) { c.status = status }

// Made adds ids or names of what a change made, for the audit log.
func (c *Call) Made(names ...string) { c.made = append(c.made, names...) }

// Serve returns the route that h serves, which reads its input and writes its
// answer itself.
func (o Operation[In, Out]) Serve(h func(*http.Request, *tenant.Principal) (Response, error)) Route {
	route := Route{
		Method: o.Method, Path: o.Path, Credentials: o.Scope.credentials, Access: o.Scope.access, denied: o.Scope.denied,
		handle: h, describe: o.describe,
	}
	if route.Method == http.MethodGet && route.Access == tenant.Writing {
		route.Access = tenant.Reading
	}
	return route
}

// InEnvironment is a handler of Serve that is handed the environment of the key: it cannot
// forget to ask whose it is.
func InEnvironment(h func(*http.Request, tenant.Environment) (Response, error)) func(*http.Request, *tenant.Principal) (Response, error) {
	return func(r *http.Request, p *tenant.Principal) (Response, error) { return h(r, p.Environment) }
}

// Route returns the route that do serves: it is handed the input and returns the
// body of the answer.
func (o Operation[In, Out]) Route(do func(c *Call, in *In) (*Out, error)) Route {
	read := inputOf[In]()
	return o.Serve(func(r *http.Request, p *tenant.Principal) (Response, error) {
		c := &Call{Request: r, Principal: p, status: o.status()}
		var in In
		if err := read(r, &in); err != nil {
			return Response{}, err
		}
		out, err := do(c, &in)
		if err != nil {
			return Response{}, err
		}
		answer := Response{Status: c.status, Header: c.header, Made: c.made}
		if _, none := any(out).(*None); !none && out != nil {
			answer.Body = *out
		}
		return answer, nil
	})
}

func (o *Operation[In, Out]) status() int {
	if o.Status == 0 {
		return http.StatusOK
	}
	return o.Status
}

// Alone is a handler of Serve that does not ask who is calling.
func Alone(h Handler) func(*http.Request, *tenant.Principal) (Response, error) {
	return func(r *http.Request, _ *tenant.Principal) (Response, error) { return h(r) }
}
