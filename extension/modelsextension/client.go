// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// hardening is a middleware of HTTP clients that hardens the transport below
// all others. The collector's clients take no other dialer.
type hardening struct {
	component.StartFunc
	component.ShutdownFunc
	proxy, linkLocal bool
}

var _ extensionmiddleware.HTTPClient = (*hardening)(nil)

// GetHTTPRoundTripper returns what hardens a transport.
func (h *hardening) GetHTTPRoundTripper(context.Context) (extensionmiddleware.WrapHTTPRoundTripperFunc, error) {
	return func(_ context.Context, base http.RoundTripper) (http.RoundTripper, error) {
		transport, ok := base.(*http.Transport)
		if !ok {
			return nil, fmt.Errorf("the transport of the client is a %T", base)
		}
		model.Harden(transport, h.proxy, h.linkLocal)
		return transport, nil
	}, nil
}

// client makes the HTTP client of a model server.
func (r *RemoteConfig) client(ctx context.Context, host component.Host, settings component.TelemetrySettings) (*http.Client, error) {
	id := component.MustNewIDWithName("models", "hardening")
	extensions := map[component.ID]component.Component{id: &hardening{proxy: r.HTTP.ProxyURL != "", linkLocal: r.AllowLinkLocal}}
	maps.Copy(extensions, host.GetExtensions())
	cfg := r.HTTP
	cfg.Middlewares = append(slices.Clone(cfg.Middlewares), configmiddleware.Config{ID: id}) // the last one is the innermost
	return cfg.ToClient(ctx, extensions, settings)
}
