// SPDX-License-Identifier: Apache-2.0

// Package outbound bounds what requests to servers that users name can reach.
package outbound

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// metadata are the addresses, beyond the link-local ones, where clouds give
// credentials to the caller that asks from within.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
// https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
}

// shared are addresses that netip does not call private and that are not reached from
// outside: of carriers (RFC 6598), of protocols (RFC 6890), of benchmarks (RFC 2544),
// reserved ones, and networks that translate to others (RFC 3056, RFC 4380, RFC 8215).
var shared = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("fec0::/10"),
}

// nat64 is the prefix of IPv6 addresses that end in one of IPv4 (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// plain returns the address that packets go to in the end.
func plain(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

func within(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// IsLinkLocal reports whether an address is link-local or a metadata service.
func IsLinkLocal(a netip.Addr) bool {
	a = plain(a)
	return a.IsLinkLocalUnicast() || within(metadata, a)
}

// IsPublic reports whether an address is one that the internet reaches.
func IsPublic(a netip.Addr) bool {
	a = plain(a)
	return a.IsGlobalUnicast() && !a.IsPrivate() && !IsLinkLocal(a) && !within(shared, a)
}

// NamesLinkLocal reports whether host, an address or a name, is link-local or a
// metadata service. Of other names only dialling knows, see Harden.
func NamesLinkLocal(host string) bool {
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		name := strings.ToLower(strings.TrimSuffix(host, "."))
		return name == "metadata" || strings.HasPrefix(name, "metadata.google.")
	}
	return IsLinkLocal(address)
}

// maxAnswerHeaders is how many bytes the headers of an answer may take.
const maxAnswerHeaders = 64 << 10

// Harden changes a transport that is not in use yet. It bounds the headers of
// answers, ignores proxies that the environment names, unless proxy says that one
// was configured, and connects to no address that refuse returns an error for: whatever
// a name means at the moment of connecting, it is the address that is looked at.
func Harden(t *http.Transport, proxy bool, refuse func(netip.AddrPort) error) {
	t.MaxResponseHeaderBytes = maxAnswerHeaders
	if !proxy {
		t.Proxy = nil
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	dialer.Control = func(_, address string, _ syscall.RawConn) error {
		to, _ := netip.ParseAddrPort(address) // the zero address is of no kind
		return refuse(to)
	}
	t.DialContext = dialer.DialContext
}
