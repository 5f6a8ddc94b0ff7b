// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"golang.org/x/net/netutil"
)

// ConnectionsConfig bounds the connections of the API.
type ConnectionsConfig struct {
	// Max is how many there are at once; others wait until one is closed.
	// Default: 1024.
	Max int `mapstructure:"max"`

	// PerAddress is how many one address has; more are closed at once. Default:
	// 512.
	PerAddress int `mapstructure:"per_address"`

	_ struct{}
}

func (c *ConnectionsConfig) validate() error {
	if c.Max < 1 || c.PerAddress < 1 {
		return errors.New(`"connections::max" and "connections::per_address" must be positive`)
	}
	return nil
}

// listen listens as confighttp.ServerConfig.ToListener does, but for the bounds, which
// are beneath TLS: the server has to see whose connection is encrypted.
func (c *Config) listen(ctx context.Context) (net.Listener, error) {
	plain, err := c.HTTP.NetAddr.Listen(ctx)
	if err != nil {
		return nil, err
	}
	bounded := c.Connections.bound(plain)
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

// bound returns a listener within the bounds. Those of an address that has too many
// take no place of the others.
func (c *ConnectionsConfig) bound(l net.Listener) net.Listener {
	return netutil.LimitListener(&perAddress{Listener: l, most: c.PerAddress, open: map[string]int{}}, c.Max)
}

// perAddress is a listener that closes connections of an address which has as many
// as it may.
type perAddress struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[string]int
}

// Accept returns the next connection that may be there.
func (l *perAddress) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(c.RemoteAddr().String())
		if err != nil { // no address, such as that of a Unix socket
			return c, nil
		}
		if l.enter(host) {
			return &counted{Conn: c, leave: sync.OnceFunc(func() { l.leave(host) })}, nil
		}
		_ = c.Close() // who has too many hears nothing of it
	}
}

func (l *perAddress) enter(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[host] >= l.most {
		return false
	}
	l.open[host]++
	return true
}

func (l *perAddress) leave(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[host]--; l.open[host] == 0 {
		delete(l.open, host)
	}
}

// counted is a connection that gives its place back when it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
