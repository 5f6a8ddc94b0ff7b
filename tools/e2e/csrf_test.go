// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// elsewhere is a page on another port of the host: what it may do with the
// session of a browser that visits it.
type elsewhere struct {
	*httptest.Server
	mu      sync.Mutex
	cookies []string // that browsers sent to it
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.cookies = append(e.cookies, r.Header.Get("Cookie"))
		e.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><link rel=icon href="data:,"><title>elsewhere</title><form method=post></form>`))
	}))
	t.Cleanup(e.Close)
	return e
}

// try has the page send a request and returns the status, or 0 where the
// browser did not let it see the answer.
func try(p *browser.Page, url, method string, headers map[string]string, body string) int {
	if headers == nil {
		headers = map[string]string{}
	}
	options := map[string]any{"method": method, "headers": headers, "credentials": "include"}
	if body != "" {
		options["body"] = body
	}
	text, _ := json.Marshal(options)
	return browser.Eval[int](p, fmt.Sprintf("fetch(%q, %s).then((r) => r.status, () => 0)", url, text))
}

// What pages of other origins can make a browser do with its session: nothing.
// A setup is made only by the own page; the store is asked whether one is there.
func TestOtherOriginsCannotUseASession(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"as shipped":  nil,
		"cors opened": {`extensions::api::http::cors: {allowed_origins: ["*"], allowed_headers: ["*"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, settings...)
			key := keysOf(t, c, "Acme", "prd")[0]
			own := open(t, c, "/ui/environment")
			signIn(t, own, key)
			own.ByRole("heading", "Acme / prd")
			token := browser.Eval[string](own, `localStorage.getItem("touchstone.token")`)
			page := map[string]string{"X-Touchstone-Page": token}
			require.Equal(t, 200, try(own, c.API+"/v2/me", "GET", page, ""))
			require.Equal(t, 401, try(own, c.API+"/v2/me", "GET", nil, ""), "the cookie alone")
			require.Equal(t, 401, try(own, c.API+"/v2/me", "GET", map[string]string{"X-Touchstone-Page": token, "Authorization": "Bearer tl_x"}, ""),
				"a credential with it decides")

			e := newElsewhere(t)
			for _, origin := range []string{e.URL, strings.Replace(e.URL, "127.0.0.1", "touchstone.test", 1)} {
				p := own.Elsewhere(t, origin)
				p.Expect("CORS policy")
				p.Expect("request to another origin: " + c.API)
				p.Go(origin + "/")
				attack(t, p, c, token)
				setups, err := testbed.Ask[json.RawMessage](t.Context(), c, http.MethodGet, "/v2/auto-monitor-setups", key, nil)
				require.NoError(t, err)
				require.NotContains(t, string(setups), "stolen")
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			require.Contains(t, strings.Join(e.cookies, "\n"), "touchstone_session=", "cookies know no ports, which is why they are worth nothing alone")
			own.Reload()
			own.ByRole("heading", "Acme / prd") // and it is still signed in
		})
	}
}

func attack(t *testing.T, p *browser.Page, c *testbed.Collector, token string) {
	t.Helper()
	setup := `{"external_id":"stolen","evaluators":["char-count"]}`
	plain, withToken := map[string]string{"Content-Type": "text/plain"}, map[string]string{"Content-Type": "application/json", "X-Touchstone-Page": token}
	for _, headers := range []map[string]string{nil, {"X-Touchstone-Page": token}} {
		require.NotEqual(t, 200, try(p, c.API+"/v2/me", "GET", headers, ""))
		require.NotEqual(t, 200, try(p, c.API+"/ui/session", "GET", headers, ""))
		require.NotEqual(t, 204, try(p, c.API+"/ui/session", "DELETE", headers, ""))
	}
	require.NotEqual(t, 201, try(p, c.API+"/v2/auto-monitor-setups", "POST", plain, setup))
	require.NotEqual(t, 201, try(p, c.API+"/v2/auto-monitor-setups", "POST", withToken, setup))
	require.NotEqual(t, 200, try(p, c.API+"/ui/session", "POST", map[string]string{"Content-Type": "application/json"}, `{"key":"tl_x"}`))
	browser.Eval[any](p, fmt.Sprintf(`(() => { const f = document.forms[0]; f.action = %q; f.enctype = "text/plain";
		const i = document.createElement("input"); i.name = %q; i.value = '"}'; f.append(i); f.submit() })()`,
		c.API+"/v2/auto-monitor-setups", `{"external_id":"stolen","evaluators":["char-count"],"x":"`))
	p.UntilTrue(`location.pathname === "/v2/auto-monitor-setups" && document.readyState === "complete"`)
}

// A server on another port that got the cookie cannot use it, and the OTLP port
// does not hand it on.
func TestStolenCookie(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/environment")
	signIn(t, p, keysOf(t, c, "Acme", "prd")[0])
	p.ByRole("heading", "Acme / prd")
	token := browser.Eval[string](p, `localStorage.getItem("touchstone.token")`)
	cookie := p.Cookies()[0]
	ask := func(base string, headers map[string]string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/v2/me", http.NoBody)
		require.NoError(t, err)
		for name, value := range headers {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	value := cookie.Name + "=" + cookie.Value
	require.Equal(t, 401, ask(c.API, map[string]string{"Cookie": value}), "cookie without token")
	require.Equal(t, 401, ask(c.API, map[string]string{"X-Touchstone-Page": token}), "token without cookie")
	require.Equal(t, 200, ask(c.API, map[string]string{"Cookie": value, "X-Touchstone-Page": token}))
	require.Equal(t, 401, ask(c.HTTP, map[string]string{"Cookie": value, "X-Touchstone-Page": token}), "the OTLP port")
}
