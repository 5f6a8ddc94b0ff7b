// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who has no key is told that one is needed, and not that it is wrong.
func TestMissingAndWrongKeysAreTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"Unauthorized"}`, http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	for key, want := range map[string]string{
		"":      "an API key is needed: set TOUCHSTONE_API_KEY or --key-file",
		"wrong": "the API key is not known: set TOUCHSTONE_API_KEY or --key-file",
	} {
		c := &client{base: base, key: key, http: server.Client()}
		_, err := c.ask(t.Context(), http.MethodGet, "/v2/me", nil, nil)
		require.EqualError(t, err, want)
	}
}
