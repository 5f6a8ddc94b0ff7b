// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// A caller without a key reads that one is needed, and not that it is wrong.
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

// A filter on a field that no span has finds none; the command says which field may be meant
// and ends with 1.
func TestAFieldThatNoSpanHasIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/warehouse/fields" {
			io.WriteString(w, `{"fields":[{"id":"app.tenant"},{"id":"span_name"}]}`)
			return
		}
		io.WriteString(w, `{"spans":{"data":[],"total_results":0,"next_cursor":""}}`)
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	find := func(filter string) error {
		a := &app{client: client{base: base, key: "k", http: server.Client()}, out: io.Discard, err: io.Discard}
		cmd := a.spans()
		cmd.SetArgs([]string{"-f", filter})
		return cmd.ExecuteContext(t.Context())
	}
	require.NoError(t, find("status:error"), "every span may have it")
	require.NoError(t, find("app.tenant:x"))
	var failed *exitError
	require.ErrorAs(t, find("tenant:x"), &failed)
	require.Equal(t, ExitFailed, failed.code)
	require.EqualError(t, failed, `no recent span has the field "tenant"; did you mean "app.tenant"?`)
}
