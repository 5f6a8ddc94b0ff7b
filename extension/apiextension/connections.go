// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// listen listens as confighttp.ServerConfig.ToListener does, but for the bounds, which
// are beneath TLS: the server has to see whose connection is encrypted.
func (c *Config) listen(ctx context.Context) (net.Listener, error) {
	plain, err := c.HTTP.NetAddr.Listen(ctx)
	if err != nil {
		return nil, err
	}
	bounded := c.Connections.Listen(plain)
	if !c.HTTP.TLS.HasValue() {
		return bounded, nil
	}
	secure, err := c.HTTP.TLS.Get().LoadTLSConfig(ctx)
	if err != nil {
		return nil, errors.Join(err, plain.Close())
	}
	secure.NextProtos = []string{"h2", "http/1.1"}
	return tls.NewListener(bounded, secure), nil
}
