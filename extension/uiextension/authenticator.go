// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/extension/extensionauth"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// authenticator asks the authenticator who holds a key. Nothing else decides that.
type authenticator struct{ auth extensionauth.Server }

// ask returns who holds the key. The error is a fault of kind Unauthorized where no
// one does, and of kind Unavailable where the keys cannot be read at the moment.
func (a *authenticator) ask(ctx context.Context, key string) (*tenant.Principal, error) {
	ctx, err := a.auth.Authenticate(ctx, map[string][]string{"Authorization": {bearer(key)}})
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil, err
	case err != nil:
		return nil, fault.Wrap(fault.Unauthorized, err, "Unauthorized")
	}
	p, ok := client.FromContext(ctx).Auth.(*tenant.Principal)
	if !ok {
		return nil, errors.New("the authenticator did not say who is calling")
	}
	return p, nil
}

func bearer(key string) string { return "Bearer " + key }
