// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// TestCookiesCountForTheOwnPagesOnly goes through what another page could make a
// browser send, or a server on another port could send with a cookie it got.
func TestCookiesCountForTheOwnPagesOnly(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	key, _ := p.key(t, "Acme", tenant.Full)
	b := newBrowser(t, serving(t, p.handler(t)))
	_, _ = b.signIn(t, key)
	other := "http://127.0.0.1:1"
	rows := []struct {
		name    string
		headers map[string]string
		counts  bool
	}{
		{"the own page", nil, true},
		{"a browser that sends no Sec-Fetch-Site", map[string]string{"Sec-Fetch-Site": ""}, true},
		{"neither Sec-Fetch-Site nor Origin", map[string]string{"Sec-Fetch-Site": "", "Origin": ""}, true},
		{"no page token", map[string]string{pageHeader: ""}, false},
		{"no page token, from another port", map[string]string{pageHeader: "", "Sec-Fetch-Site": "same-site", "Origin": other}, false},
		{"no page token, no metadata", map[string]string{pageHeader: "", "Sec-Fetch-Site": "", "Origin": ""}, false},
		{"another page token", map[string]string{pageHeader: strings.Repeat("A", 26)}, false},
		{"the hash of nothing", map[string]string{pageHeader: " "}, false},
		{"another port of the host", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"typed into the address bar", map[string]string{"Sec-Fetch-Site": "none"}, false},
		{"metadata of the future", map[string]string{"Sec-Fetch-Site": "sibling"}, false},
		{"origin of another port", map[string]string{"Sec-Fetch-Site": "", "Origin": other}, false},
		{"origin over TLS", map[string]string{"Origin": "https" + strings.TrimPrefix(b.url, "http")}, false},
		{"origin that is hidden", map[string]string{"Origin": "null"}, false},
		{"origin that begins as the own", map[string]string{"Origin": b.url + ".example.com"}, false},
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		for _, row := range rows {
			_, body := b.send(t, method, "/v2/x", "", row.headers)
			require.Equal(t, row.counts, strings.Contains(body, "Bearer "+key), "%s %s", method, row.name)
			require.NotContains(t, body, "touchstone_session", "%s %s: the cookie goes no further", method, row.name)
		}
	}
	for _, row := range rows {
		resp, _ := b.send(t, http.MethodGet, "/ui/session", "", row.headers)
		require.Equal(t, row.counts, resp.StatusCode == http.StatusOK, row.name)
		if !row.counts {
			resp, _ = b.send(t, http.MethodDelete, "/ui/session", "", row.headers)
			require.Equal(t, http.StatusUnauthorized, resp.StatusCode, row.name)
			require.Empty(t, resp.Header.Values("Set-Cookie"), row.name)
		}
	}
	for _, path := range []string{"/mcp", "/health", "/v2x"} {
		_, body := b.send(t, http.MethodGet, path, "", nil)
		require.NotContains(t, body, "Bearer", path)
		require.NotContains(t, body, "touchstone_session", path)
	}
}

// No other site can sign a browser in.
func TestSigningInFromElsewhere(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, serving(t, newProvider(t).handler(t)))
	for _, headers := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site", "Origin": "https://example.com"},
		{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"},
		{"Sec-Fetch-Site": "", "Origin": "http://127.0.0.1:1"},
		{"Origin": "null"},
	} {
		resp, _ := b.send(t, http.MethodPost, "/ui/session", `{"key":"`+accessToken+`"}`, headers)
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode, headers)
		require.Empty(t, resp.Header.Values("Set-Cookie"), headers)
	}
}

// A server on another port of the host may set cookies of the same name. They
// neither count nor hide the session.
func TestCookiesOfOthersOnTheHost(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	key, _ := p.key(t, "Acme", tenant.Full)
	s := serving(t, p.handler(t))
	b, stranger := newBrowser(t, s), newBrowser(t, s)
	_, _ = b.signIn(t, key)
	_, _ = stranger.signIn(t, accessToken)
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	foreign := stranger.http.Jar.Cookies(u)[0]
	foreign.Path = "/v2" // comes first
	b.http.Jar.SetCookies(u, []*http.Cookie{foreign, {Name: "touchstone_session", Value: "x", Path: "/v2/me"}})
	require.Equal(t, []string{"Bearer " + key}, b.api(t, nil).Authorization)
	b.token = stranger.token + "x"
	require.Nil(t, b.api(t, nil).Authorization)
}
