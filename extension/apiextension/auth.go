// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/collector/client"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// operator lets only the holder of the access token in.
func (a *api) operator(h handler) handler {
	return func(r *http.Request) (answer, error) {
		ctx, p, err := a.authenticate(r)
		if err != nil {
			return answer{}, err
		}
		if !p.Operator {
			return answer{}, fault.New(fault.Forbidden, "Not allowed to create organizations")
		}
		return h(r.WithContext(ctx))
	}
}

// environment lets only the holder of an environment's key in, and hands the
// environment on: a handler cannot forget to ask whose it is.
func (a *api) environment(h func(*http.Request, tenant.Environment) (answer, error)) handler {
	return func(r *http.Request) (answer, error) {
		ctx, p, err := a.authenticate(r)
		if err != nil {
			return answer{}, err
		}
		if p.Operator {
			return answer{}, fault.New(fault.Forbidden, "Not allowed with the access token: use the API key of an environment")
		}
		return h(r.WithContext(ctx), p.Environment)
	}
}

func (a *api) authenticate(r *http.Request) (context.Context, *tenant.Principal, error) {
	ctx, err := a.auth.Authenticate(r.Context(), r.Header)
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
