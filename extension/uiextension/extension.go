// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/ui"
)

var (
	_ extension.Extension             = (*uiExtension)(nil)
	_ extensioncapabilities.Dependent = (*uiExtension)(nil)
	_ extensionmiddleware.HTTPServer  = (*uiExtension)(nil)
)

type uiExtension struct {
	component.ShutdownFunc
	cfg  *Config
	now  func() time.Time
	site *site // nil before Start
}

// Dependencies makes what sessions stand on start first.
func (e *uiExtension) Dependencies() []component.ID { return []component.ID{e.cfg.Store, e.cfg.Auth} }

// Start reads the built files and the secret of sessions.
func (e *uiExtension) Start(ctx context.Context, host component.Host) error {
	auth, err := hostext.Find[extensionauth.Server](host, e.cfg.Auth)
	if err != nil {
		return fmt.Errorf(`"auth": %w`, err)
	}
	stores, err := hostext.Find[cache.Provider](host, e.cfg.Store)
	if err != nil {
		return fmt.Errorf(`"store": %w`, err)
	}
	control := stores.Control()
	secret, err := control.Secret(ctx, "sessions")
	if err != nil {
		return fmt.Errorf("read the secret of sessions: %w", err)
	}
	sealed, err := newSealer(secret)
	if err != nil {
		return err
	}
	pages, err := newPages(ui.Files(), e.cfg)
	if err != nil {
		return err
	}
	e.site = &site{
		pages: pages, path: e.cfg.Path, home: e.cfg.PublicPath + e.cfg.Path + "/",
		sessions: &sessions{
			auth: &authenticator{auth}, owners: control, sealed: sealed, ended: newEnded(e.now), now: e.now,
			lifetime: e.cfg.SessionLifetime, alwaysSecure: e.cfg.SecureCookie == secureAlways,
			protection: http.NewCrossOriginProtection(),
		},
	}
	return nil
}

// GetHTTPHandler puts the UI before what a server serves.
func (e *uiExtension) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	if e.site == nil {
		return nil, errors.New("the ui extension has not started")
	}
	return func(_ context.Context, next http.Handler) (http.Handler, error) { return e.site.before(next), nil }, nil
}
