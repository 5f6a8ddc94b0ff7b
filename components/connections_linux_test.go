// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who opens more connections than the process may have descriptors, to every server
// there is, leaves all others what they need: senders of other addresses are served,
// spans are stored, and the process is healthy.
func TestConnectionsWithoutEndLeaveDescriptors(t *testing.T) {
	t.Parallel()
	file, err := binary()
	require.NoError(t, err)
	limited := filepath.Join(t.TempDir(), "limited")
	require.NoError(t, os.WriteFile(limited, fmt.Appendf(nil, "#!/bin/sh\nulimit -n 1024\nexec %s \"$@\"\n", file), 0o700))
	h := newCollector(t, t.TempDir())
	require.NoError(t, h.Start(limited, "../config.yaml"))
	t.Cleanup(h.Kill)
	require.NoError(t, h.AwaitReady(t.Context()))
	key := h.key(t, "ours")

	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}, Timeout: patience}
	for _, server := range []string{h.GRPC, strings.TrimPrefix(h.HTTP, "http://"), h.Env["TOUCHSTONE_API"]} {
		for range 1100 {
			c, err := dialer.DialContext(t.Context(), "tcp", server)
			require.NoError(t, err)
			t.Cleanup(func() { _ = c.Close() })
		}
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", h.Pid()))
	require.NoError(t, err)
	require.Less(t, len(open), 600)
	for range 3 { // each over a connection of its own
		require.NoError(t, h.exportGRPC(t, key, someTraces(1, 5)))
	}
	require.EqualValues(t, 5, h.page(t, key).Spans.TotalResults)
	status, _ := h.call(t, http.MethodGet, "/health/ready", "", nil)
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, h.Output(), "too many open files")
	require.NoError(t, h.Stop())
}
