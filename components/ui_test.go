// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is a page of the UI in a user's browser.
type page struct {
	url, token string
	cookies    []*http.Cookie
}

func (p *page) send(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		req.Header.Set("X-Touchstone-Page", p.token)
	}
	for _, c := range p.cookies {
		req.AddCookie(c)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(answer)
}

func (p *page) signIn(t *testing.T, key string) {
	t.Helper()
	resp, body := p.send(t, http.MethodPost, p.url+"/ui/session", `{"key":"`+key+`"}`)
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	var made struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &made))
	p.token, p.cookies = made.Token, resp.Cookies()
}

// The shipped configuration serves the UI on the API's port, and a session
// outlives the collector that it was made with.
func TestUI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startCollector(t, dir)
	keys, err := h.Keys(t.Context(), "Acme", "prd")
	require.NoError(t, err)
	p := &page{url: h.API}
	resp, _ := p.send(t, http.MethodGet, h.API+"/", "")
	require.Equal(t, http.StatusFound, resp.StatusCode)
	require.Equal(t, "/ui/", resp.Header.Get("Location"))
	resp, body := p.send(t, http.MethodGet, h.API+"/ui/spans", "")
	require.Contains(t, body, `<div id="app">`)
	require.Contains(t, resp.Header.Get("Content-Security-Policy"), "require-trusted-types-for 'script'")

	p.signIn(t, keys[0])
	resp, body = p.send(t, http.MethodGet, h.API+"/v2/me", "")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Contains(t, body, `"name":"Acme"`)
	require.Equal(t, "default-src 'none'; frame-ancestors 'none'", resp.Header.Get("Content-Security-Policy"))
	resp, _ = p.send(t, http.MethodGet, h.HTTP+"/v2/me", "")
	require.Equal(t, http.StatusUnauthorized, resp.StatusCode, "the OTLP port knows no sessions")

	h.stop()
	again := startCollector(t, dir)
	p.url = again.API
	resp, body = p.send(t, http.MethodGet, again.API+"/ui/session", "")
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	status, _ := again.call(t, http.MethodGet, "/v2/me", keys[0], nil)
	require.Equal(t, http.StatusOK, status, "clients with keys are served as ever")
}

func TestWithoutUI(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	h.settings = []string{
		"service::extensions: [health_check, store, keyauth, admission, otlp_paths, models, api]",
		"extensions::api::http::middlewares: []",
	}
	h.start(t)
	t.Cleanup(func() { h.stop() })
	for _, path := range []string{"/", "/ui/", "/ui/session"} {
		resp, body := (&page{}).send(t, http.MethodGet, h.API+path, "")
		require.Equal(t, http.StatusNotFound, resp.StatusCode, path)
		require.Contains(t, body, `{"error":`)
	}
	status, _ := h.call(t, http.MethodGet, "/v2/me", accessToken, nil)
	require.Equal(t, http.StatusOK, status)
}
