// SPDX-License-Identifier: Apache-2.0

package connbound

import (
	"math"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&Config{Max: 1, PerAddress: 1}).Check("connections"))
	for _, c := range []Config{{Max: 0, PerAddress: 1}, {Max: 1, PerAddress: 0}, {Max: -1, PerAddress: -1}} {
		require.ErrorContains(t, c.Check("connections"), `"connections::max" and "connections::per_address"`)
	}
	c := Config{Max: 4096, PerAddress: 2048}
	require.Equal(t, c, c.Within(math.MaxUint64))
	require.Equal(t, c, c.Within(4*4096))
	require.Equal(t, Config{Max: 256, PerAddress: 128}, c.Within(1024))
	require.Equal(t, Config{Max: 1, PerAddress: 1}, c.Within(0))
	require.Equal(t, Config{Max: 8, PerAddress: 3}, Config{Max: 8, PerAddress: 3}.Within(math.MaxUint64))
	require.Equal(t, Config{Max: 8, PerAddress: 4}, Config{Max: 8, PerAddress: 9}.Within(math.MaxUint64))
	require.Positive(t, descriptors())
}

// addresses gives each connection the address that is next.
type addresses struct {
	net.Listener
	next []string
}

type addressed struct {
	net.Conn
	from net.Addr
}

func (a *addressed) RemoteAddr() net.Addr { return a.from }

func (l *addresses) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	from, err := net.ResolveTCPAddr("tcp", l.next[0])
	if err != nil {
		return nil, err
	}
	l.next = l.next[1:]
	return &addressed{Conn: c, from: from}, nil
}

// accepting accepts connections of addresses that come one after the other.
func accepting(t *testing.T, c Config, from ...string) (*Listener, <-chan net.Conn, []net.Conn) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := c.Listen(&addresses{Listener: plain, next: from})
	accepted, done := make(chan net.Conn), make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		<-done
	})
	var clients []net.Conn
	for range from {
		c, err := net.Dial("tcp", plain.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		clients = append(clients, c)
	}
	return l, accepted, clients
}

func requireClosed(t *testing.T, c net.Conn) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := c.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestConnectionsOfOneAddress(t *testing.T) {
	t.Parallel()
	l, accepted, clients := accepting(t, Config{Max: 100, PerAddress: 2}, "10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3", "[::ffff:10.0.0.1]:4", "10.0.0.2:1")
	first, second, other := <-accepted, <-accepted, <-accepted
	require.Equal(t, "10.0.0.2:1", other.RemoteAddr().String())
	requireClosed(t, clients[2])
	requireClosed(t, clients[3])
	require.EqualValues(t, 2, l.Refused())
	require.EqualValues(t, 3, l.Open())
	for _, c := range []net.Conn{first, second, other} {
		require.NoError(t, c.Close())
		require.Error(t, c.Close(), "a place is given back once")
	}
	require.Zero(t, l.Open())
	require.Empty(t, l.open)
}

func TestANetworkOfIPv6IsOneAddress(t *testing.T) {
	t.Parallel()
	l, accepted, clients := accepting(t, Config{Max: 100, PerAddress: 1}, "[2001:db8::1]:1", "[2001:db8::ffff:2]:1", "[2001:db8:0:1::1]:1")
	first, other := <-accepted, <-accepted
	require.Equal(t, "[2001:db8::1]:1", first.RemoteAddr().String())
	require.Equal(t, "[2001:db8:0:1::1]:1", other.RemoteAddr().String())
	requireClosed(t, clients[1])
	require.EqualValues(t, 1, l.Refused())
	require.NoError(t, first.Close())
	require.NoError(t, other.Close())
}

func TestConnectionsOfAllAddresses(t *testing.T) {
	t.Parallel()
	l, accepted, _ := accepting(t, Config{Max: 2, PerAddress: 1}, "10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1", "10.0.0.4:1")
	first, second := <-accepted, <-accepted
	require.EqualValues(t, 2, l.Open())
	select {
	case <-accepted:
		require.Fail(t, "a third of two")
	case <-time.After(50 * time.Millisecond):
	}
	require.NoError(t, first.Close())
	require.NoError(t, (<-accepted).Close())
	require.NoError(t, (<-accepted).Close())
	require.NoError(t, second.Close())
}

func TestListenerIsClosed(t *testing.T) {
	t.Parallel()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := Config{Max: 1, PerAddress: 1}.Listen(plain)
	c, err := net.Dial("tcp", plain.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	accepted, err := l.Accept()
	require.NoError(t, err)
	waits := make(chan error)
	go func() {
		_, err := l.Accept()
		waits <- err
	}()
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-waits, net.ErrClosed)
	require.Error(t, l.Close())
	require.NoError(t, accepted.Close())
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Zero(t, l.Open())
}
