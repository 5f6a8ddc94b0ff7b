// SPDX-License-Identifier: Apache-2.0

package outbound_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/outbound"
)

func TestNamesOfLinkLocalServers(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"169.254.169.254", "169.254.170.2", "fe80::1", "[fe80::1%25eth0]", "fe80::1%eth0", "fd00:ec2::254", "fd00:ec2::23", "::ffff:169.254.169.254",
		"64:ff9b::a9fe:a9fe", "100.100.100.200", "metadata", "metadata.google.internal", "METADATA.google.internal.",
	} {
		require.True(t, outbound.NamesLinkLocal(host), host)
	}
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "::1", "fd00::1", "api.openai.com", "metadata.example", "64:ff9b::808:808", "100.100.100.201"} {
		require.False(t, outbound.NamesLinkLocal(host), host)
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8", "172.32.0.1", "100.128.0.1"} {
		require.True(t, outbound.IsPublic(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{
		"127.0.0.1", "127.8.9.10", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "fd00::1", "169.254.169.254", "fe80::1%eth0", "0.0.0.0", "0.1.2.3", "::",
		"::ffff:127.0.0.1", "64:ff9b::7f00:1", "100.64.0.1", "100.100.100.200", "224.0.0.1", "ff02::1", "255.255.255.255", "198.18.0.1", "2002:7f00:1::", "64:ff9b:1::1",
	} {
		require.False(t, outbound.IsPublic(netip.MustParseAddr(a)), a)
	}
	require.False(t, outbound.IsPublic(netip.Addr{}))
}
