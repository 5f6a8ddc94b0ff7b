// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The addresses for spans are reachable for the caller: by the host by which it reached the API,
// unless the configuration names one.
func TestAddressesAreThoseThatACallerReaches(t *testing.T) {
	t.Parallel()
	require.Nil(t, OTLP{}.from("a:1"))
	for _, row := range []struct{ address, host, want string }{
		{"127.0.0.1:4318", "traces.example.org", "http://127.0.0.1:4318"},
		{"0.0.0.0:4318", "traces.example.org:8080", "http://traces.example.org:4318"},
		{"0.0.0.0:4318", "traces.example.org", "http://traces.example.org:4318"},
		{":4318", "[2001:db8::1]:8080", "http://[2001:db8::1]:4318"},
		{"[::]:4318", "[2001:db8::1]", "http://[2001:db8::1]:4318"},
		{"https://otlp.example.org", "a:1", "https://otlp.example.org"},
		{"nonsense", "a:1", ""},
		{"", "a:1", ""},
	} {
		require.Equal(t, row.want, OTLP{HTTP: row.address, GRPC: "b:2"}.from(row.host).HTTP, "%s by %s", row.address, row.host)
	}
}
