// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net"

	"github.com/touchstone-otel/touchstone/internal/connbound"
)

// listen listens for as many connections as there may be.
func (c *Config) listen(ctx context.Context) (net.Listener, error) {
	plain, err := c.HTTP.NetAddr.Listen(ctx)
	if err != nil {
		return nil, err
	}
	return connbound.Secure(ctx, c.Connections.Listen(plain), &c.HTTP)
}
