// SPDX-License-Identifier: Apache-2.0

package connbound

import (
	"net"
	"net/netip"
	"sync"
)

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

// counted returns a connection that gives its place back once.
func (l *Listener) counted(c net.Conn, from netip.Prefix) net.Conn {
	l.there.Add(1)
	return &counted{Conn: c, leave: sync.OnceFunc(func() { l.leave(from) })}
}
