// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var (
	_ extension.Extension             = (*keyAuth)(nil)
	_ extensionauth.Server            = (*keyAuth)(nil)
	_ extensioncapabilities.Dependent = (*keyAuth)(nil)
)

type keyAuth struct {
	cfg     *Config
	log     *zap.Logger
	refused metric.Int64Counter

	authenticator atomic.Pointer[authenticator] // nil while closed
}

// authenticator compares credentials with those that are valid. Access tokens and
// known keys are in memory; an unknown key is looked up, which may fail.
type authenticator struct {
	keys      keys
	operators []tenant.Digest // of access tokens: one, and the one before it while that is valid
}

// keys looks up API keys that are valid.
type keys interface {
	Key(ctx context.Context, digest tenant.Digest) (tenant.Key, error)
}

func newExtension(cfg *Config, set component.TelemetrySettings) (*keyAuth, error) {
	refused, err := set.MeterProvider.Meter("github.com/touchstone-otel/touchstone/extension/keyauthextension").Int64Counter(
		"touchstone_auth_refused",
		metric.WithDescription("Requests without a valid credential."),
		metric.WithUnit("{request}"))
	if err != nil {
		return nil, err
	}
	return &keyAuth{cfg: cfg, log: set.Logger, refused: refused}, nil
}

// Dependencies makes the store start first and stop last.
func (k *keyAuth) Dependencies() []component.ID { return []component.ID{k.cfg.Store} }

// Start reads the access tokens and finds the keys: from then on callers are
// authenticated.
func (k *keyAuth) Start(ctx context.Context, host component.Host) error {
	stores, err := hostext.Find[cache.Provider](host, k.cfg.Store)
	if err != nil {
		return fmt.Errorf(`"store": %w`, err)
	}
	a := &authenticator{keys: stores.Control()}
	if k.cfg.AccessToken == "" && k.cfg.AccessTokenFile == "" {
		a.operators, err = k.storedTokens(ctx, stores.Control())
	} else {
		a.operators, err = k.configuredTokens()
	}
	if err != nil {
		return err
	}
	k.authenticator.Store(a)
	return nil
}

// storedTokens returns the digests of the operator's credentials that the control store
// keeps.
func (k *keyAuth) storedTokens(ctx context.Context, control *cache.Cache) ([]tenant.Digest, error) {
	list, err := control.AccessTokens(ctx)
	if err != nil {
		return nil, err
	}
	switch len(list) {
	case 0:
		return nil, errors.New(`"access_token" or "access_token_file" is required where the control store has no access token: set one, or run touchstone access-token`)
	case 1:
	default:
		k.log.Warn("two access tokens are valid: run touchstone access-token without --keep when the first is no longer in use")
	}
	return list, nil
}

// configuredTokens returns the digests of those that the configuration names.
func (k *keyAuth) configuredTokens() ([]tenant.Digest, error) {
	tokens, err := k.accessTokens()
	list := make([]tenant.Digest, len(tokens))
	for i, token := range tokens {
		list[i] = tenant.DigestOf(token)
	}
	return list, err
}

// accessTokens returns the operator's credentials, one or two: as configured, from
// the file, or a new one that is in the file from now on.
func (k *keyAuth) accessTokens() ([]string, error) {
	if k.cfg.AccessToken != "" {
		tokens := []string{string(k.cfg.AccessToken)}
		if k.cfg.PreviousAccessToken != "" {
			k.log.Warn("two access tokens are valid: remove the previous one when it is no longer in use")
			tokens = append(tokens, string(k.cfg.PreviousAccessToken))
		}
		return tokens, nil
	}
	path := zap.String("path", k.cfg.AccessTokenFile)
	f, err := tokenFile(k.cfg.AccessTokenFile)
	if err != nil {
		return nil, fmt.Errorf(`"access_token_file": %w`, err)
	}
	if len(f.tokens) > 1 {
		k.log.Warn("two access tokens are valid: remove the second line when it is no longer in use", path)
	}
	switch {
	case f.made:
		k.log.Info("made an access token for the operator", path)
	case f.narrowed:
		k.log.Warn("the access token could be read by others than its owner: its file is private now, consider a new token", path)
	default:
		k.log.Info("access token read", path)
	}
	return f.tokens, nil
}

// Shutdown ends that: every caller is refused.
func (k *keyAuth) Shutdown(context.Context) error {
	k.authenticator.Store(nil)
	return nil
}

// Authenticate puts who is calling into the context, as a *tenant.Principal in
// client.Info.Auth. Every refusal is the same, whatever was wrong: errUnauthorized,
// or errUnavailable where an unknown key could not be looked up.
func (k *keyAuth) Authenticate(ctx context.Context, sources map[string][]string) (context.Context, error) {
	caller, err := k.caller(ctx, sources)
	if err != nil {
		if !fault.Is(err, fault.Unavailable) {
			k.refused.Add(ctx, 1)
		}
		return ctx, err
	}
	info := client.FromContext(ctx)
	info.Auth = caller
	return client.NewContext(ctx, info), nil
}

func (k *keyAuth) caller(ctx context.Context, sources map[string][]string) (*tenant.Principal, error) {
	a := k.authenticator.Load()
	offered, ok := credential(sources)
	if a == nil || !ok {
		return nil, errUnauthorized
	}
	digest := tenant.DigestOf(offered)
	operator := 0
	for _, o := range a.operators {
		operator |= subtle.ConstantTimeCompare(digest[:], o[:])
	}
	if operator == 1 {
		return &tenant.Principal{Operator: true}, nil
	}
	key, err := a.keys.Key(ctx, digest)
	switch {
	case fault.Is(err, fault.Unavailable):
		return nil, errUnavailable
	case err != nil:
		return nil, errUnauthorized
	}
	return &tenant.Principal{Environment: key.Environment, Scope: key.Scope, KeyID: key.ID}, nil
}
