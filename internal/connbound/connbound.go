// SPDX-License-Identifier: Apache-2.0

// Package connbound bounds the connections of a listener: how many there are at
// once, and how many one address has.
package connbound

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Config is how many connections a server has.
type Config struct {
	// Max is how many there are at once; others wait until one is closed. A
	// server never has more than a quarter of the descriptors that the process may
	// have.
	Max int `mapstructure:"max"`

	// PerAddress is how many one address has, or one /64 network of IPv6; more are
	// closed at once. It is never more than half of those that there are at once.
	PerAddress int `mapstructure:"per_address"`

	_ struct{}
}

// Check names what is wrong. The setting is called key.
func (c *Config) Check(key string) error {
	if c.Max < 1 || c.PerAddress < 1 {
		return fmt.Errorf("%q and %q must be positive", key+"::max", key+"::per_address")
	}
	return nil
}

// Within returns the bounds of a process that may have that many descriptors.
// There is at least one connection, of one address.
func (c Config) Within(descriptors uint64) Config {
	if quarter := descriptors / 4; quarter < uint64(c.Max) {
		c.Max = max(int(quarter), 1)
	}
	c.PerAddress = min(c.PerAddress, max(c.Max/2, 1))
	return c
}

// Listener accepts connections within bounds.
type Listener struct {
	net.Listener
	perAddress int
	places     chan struct{} // one for each connection there is, and for the one that is waited for
	there      atomic.Int64
	closed     chan struct{}
	close      func()
	refused    atomic.Int64

	mu   sync.Mutex
	open map[netip.Prefix]int
}

// Listen bounds the connections of l, which is a server's alone. Connections of
// an address that has too many take no place of the others.
func (c Config) Listen(l net.Listener) *Listener {
	c = c.Within(descriptors())
	closed := make(chan struct{})
	return &Listener{
		Listener: l, perAddress: c.PerAddress, places: make(chan struct{}, c.Max), open: map[netip.Prefix]int{},
		closed: closed, close: sync.OnceFunc(func() { close(closed) }),
	}
}

// Open returns how many connections there are.
func (l *Listener) Open() int64 { return l.there.Load() }

// Refused returns how many were closed because their address had too many.
func (l *Listener) Refused() int64 { return l.refused.Load() }

// Accept returns the next connection that may be there, when there is a place for one.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.places
			return nil, err
		}
		from, ok := networkOf(c.RemoteAddr())
		if ok && !l.enter(from) {
			l.refused.Add(1)
			_ = c.Close() // who has too many hears nothing of it
			continue
		}
		return l.counted(c, from), nil
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.close()
	return l.Listener.Close()
}

// networkOf returns whose connections are counted together. A host of IPv6 has
// addresses without end in a network of its own, of 64 bits (RFC 7421). False where
// there is no address, such as that of a Unix socket.
// https://www.rfc-editor.org/rfc/rfc7421
func networkOf(a net.Addr) (netip.Prefix, bool) {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Prefix{}, false
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	network, err := ip.Prefix(bits)
	return network, err == nil
}

func (l *Listener) enter(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from] >= l.perAddress {
		return false
	}
	l.open[from]++
	return true
}

// leave gives a place back. The zero network has no owner.
func (l *Listener) leave(from netip.Prefix) {
	l.there.Add(-1)
	<-l.places
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[from]--; l.open[from] <= 0 {
		delete(l.open, from)
	}
}
