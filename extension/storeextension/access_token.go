// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// RenewAccessToken makes a new access token for the control store that a collector's
// configuration names, which keeps its digest alone, and returns it. With keep the one
// before it stays valid. Locations are those of the collector's --config. Where the
// configuration has a token of its own, which collectors take in place of the one that
// is made, own names the setting.
func RenewAccessToken(ctx context.Context, locations []string, keep bool) (token, own string, err error) {
	conf, err := resolved(ctx, locations)
	if err != nil {
		return "", "", err
	}
	all, err := storesOf(conf)
	if err != nil {
		return "", "", err
	}
	if len(all) > 1 {
		return "", "", errors.New("the configuration starts several stores: name one of which the token is")
	}
	control, err := openControl(ctx, all[0].cfg)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", all[0].id, err)
	}
	defer func() { err = errors.Join(err, control.Close()) }()
	tokens, ok := control.(store.AccessTokens)
	if !ok {
		return "", "", errors.New("the control store keeps no access tokens")
	}
	token = tenant.NewToken()
	if err := tokens.RenewAccessToken(ctx, tenant.DigestOf(token), keep); err != nil {
		return "", "", err
	}
	return token, ownToken(conf), nil
}

// ownToken returns the setting by which a configuration names an access token itself,
// "" if it names none.
func ownToken(conf *confmap.Conf) string {
	started, _ := conf.Get("service::extensions").([]any)
	for _, x := range started {
		name, _ := x.(string)
		var id component.ID
		if err := id.UnmarshalText([]byte(name)); err != nil || id.Type().String() != "keyauth" {
			continue
		}
		for _, setting := range []string{"access_token", "access_token_file"} {
			path := "extensions::" + name + "::" + setting
			if value := conf.Get(path); value != nil && strings.TrimSpace(fmt.Sprint(value)) != "" {
				return path
			}
		}
	}
	return ""
}
