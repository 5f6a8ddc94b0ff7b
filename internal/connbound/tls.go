// SPDX-License-Identifier: Apache-2.0

package connbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"go.opentelemetry.io/collector/config/confighttp"
)

// Secure returns the listener of an HTTP server over l, with TLS where it is
// configured: as confighttp.ServerConfig.ToListener does, but that bounds of
// connections lie beneath TLS, since the server has to see whose connection is
// encrypted. After an error l is closed.
func Secure(ctx context.Context, l net.Listener, cfg *confighttp.ServerConfig) (net.Listener, error) {
	if !cfg.TLS.HasValue() {
		return l, nil
	}
	secure, err := cfg.TLS.Get().LoadTLSConfig(ctx)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	secure.NextProtos = []string{"h2", "http/1.1"}
	return tls.NewListener(l, secure), nil
}
