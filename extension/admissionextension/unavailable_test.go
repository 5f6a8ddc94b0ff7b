// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The very first request of a server, whose caller is not known yet, gets an answer
// to retry; without the middleware that gives the answer, no caller is let in.
func TestTheFirstRequestMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	ours := map[string]any{"authenticator": "admission"}
	send := func(in *intake, who string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+"/v1/traces", strings.NewReader("{}"))
		require.NoError(t, err)
		r.Header.Set("Content-Type", jsonType)
		r.Header.Set("Authorization", who)
		res, err := in.client.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	in := newIntake(t, nil, map[string]any{"auth": ours})
	require.Equal(t, http.StatusServiceUnavailable, send(in, "somebody"))
	require.Equal(t, http.StatusUnauthorized, send(in, "nobody"))
	require.Equal(t, http.StatusOK, send(in, "one"))
	require.Equal(t, http.StatusServiceUnavailable, send(in, "somebody"))

	in = newIntake(t, nil, map[string]any{"auth": ours, "middlewares": []any{}})
	for range 2 {
		require.Equal(t, http.StatusUnauthorized, send(in, "somebody"))
	}
	require.Zero(t, in.traces.SpanCount())
	require.Equal(t, int64(2), in.authenticator.asked.Load(), "it is not asked about requests of ours")
}
