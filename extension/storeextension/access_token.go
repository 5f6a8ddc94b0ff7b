// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// RenewAccessToken makes a new access token for the control store that a collector's
// configuration names, which keeps its digest alone, and returns it. With keep the one
// before it stays valid. Locations are those of the collector's --config.
func RenewAccessToken(ctx context.Context, locations []string, keep bool) (token string, err error) {
	all, err := configurations(ctx, locations)
	if err != nil {
		return "", err
	}
	if len(all) > 1 {
		return "", errors.New("the configuration starts several stores: name one of which the token is")
	}
	control, err := openControl(ctx, all[0].cfg)
	if err != nil {
		return "", fmt.Errorf("%s: %w", all[0].id, err)
	}
	defer func() { err = errors.Join(err, control.Close()) }()
	tokens, ok := control.(store.AccessTokens)
	if !ok {
		return "", errors.New("the control store keeps no access tokens")
	}
	token = tenant.NewToken()
	if err := tokens.RenewAccessToken(ctx, tenant.DigestOf(token), keep); err != nil {
		return "", err
	}
	return token, nil
}
