// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// errForbidden is the cause when a server's address is one that nothing may be
// sent to.
var errForbidden = errors.New("nothing is sent to link-local addresses and metadata services unless allow_link_local is set")

// metadata are the addresses, beyond the link-local ones, where clouds give
// credentials to whoever asks from within.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
// https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
}

// nat64 is the prefix of IPv6 addresses that end in one of IPv4 (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Forbidden reports whether host, an address or a name, is link-local or a
// metadata service. Of other names only dialling knows, see Harden.
func Forbidden(host string) bool {
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		name := strings.ToLower(strings.TrimSuffix(host, "."))
		return name == "metadata" || strings.HasPrefix(name, "metadata.google.")
	}
	return forbidden(address)
}

func forbidden(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.IsLinkLocalUnicast() {
		return true
	}
	for _, p := range metadata {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// maxAnswerHeaders is how many bytes the headers of an answer may take.
const maxAnswerHeaders = 64 << 10

// Harden makes a transport for requests to model servers of one that is not in
// use yet. It bounds the headers of answers, ignores proxies that the
// environment names, unless proxy says that one was configured, and refuses to
// connect to forbidden addresses, unless linkLocal allows them: whatever a name
// means at the moment of connecting, it is the address that is looked at.
func Harden(t *http.Transport, proxy, linkLocal bool) {
	t.MaxResponseHeaderBytes = maxAnswerHeaders
	if !proxy {
		t.Proxy = nil
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if !linkLocal {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || forbidden(to.Addr()) {
				return fmt.Errorf("connect to %s: %w", address, errForbidden)
			}
			return nil
		}
	}
	t.DialContext = dialer.DialContext
}
