// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

const field = "API key or access token"

func keysOf(t testing.TB, c *testbed.Collector, organization string, environments ...string) []string {
	t.Helper()
	keys, err := c.Keys(t.Context(), organization, environments...)
	require.NoError(t, err)
	return keys
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment?x=1")
	f := p.ByRole("textbox", field)
	require.True(t, f.Focused())
	require.Contains(t, p.URL(), "/ui/signin?next="+url.QueryEscape("/ui/environment?x=1"))

	signIn(t, p, "tl_nobody-has-this")
	p.Text("Unknown or revoked key")
	p.Until("the focus back in the field", f.Focused)
	require.Equal(t, "password", browser.Eval[string](p, `document.activeElement.type`), "it stays masked")
	require.Empty(t, p.Cookies())

	f.Paste(key)
	p.Press("\r")
	p.ByRole("heading", "Acme / prd")
	require.Contains(t, p.URL(), "/ui/environment?env=")
	require.Contains(t, p.URL(), "x=1", "what was asked for first")

	cookies := p.Cookies()
	require.Len(t, cookies, 1)
	require.Equal(t, "touchstone_session", cookies[0].Name)
	require.True(t, cookies[0].HTTPOnly)
	require.Equal(t, "Strict", string(cookies[0].SameSite))
	require.Equal(t, "/", cookies[0].Path)
	require.Empty(t, browser.Eval[string](p, "document.cookie"))
	for _, where := range []string{
		"JSON.stringify(localStorage)", "JSON.stringify(sessionStorage)", "location.href", "document.documentElement.outerHTML",
		"JSON.stringify(history.state)", "[...document.querySelectorAll('input')].map((i) => i.value).join()",
	} {
		require.NotContains(t, browser.Eval[string](p, where), key, where)
	}
	require.NotContains(t, c.Output(), key)
	require.ElementsMatch(t, []string{"touchstone.token", "touchstone.environment"}, browser.Eval[[]string](p, "Object.keys(localStorage)"))

	p.Reload()
	p.ByRole("heading", "Acme / prd")
	p.ByRole("button", "Sign out").Click()
	p.ByRole("heading", "Sign in")
	require.Empty(t, p.Cookies())
	require.Empty(t, browser.Eval[[]string](p, "Object.keys(localStorage)"))
	browser.Eval[any](p, "history.back()") // which leads to where one signs in again
	p.ByRole("heading", "Sign in")
}

func TestOperator(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/")
	signIn(t, p, testbed.AccessToken)
	p.ByRole("heading", "Organizations")
	require.Contains(t, p.URL(), "env=operator")
}

// Where to go after signing in never leads away.
func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	for _, next := range []string{"//example.com/ui/", "https://example.com/ui/", `/\example.com/ui/`, "javascript:alert(1)", "/v2/me", "/ui/../v2/me", "data:text/html,x"} {
		p := open(t, c, "/ui/signin?next="+url.QueryEscape(next))
		signIn(t, p, key)
		p.ByRole("heading", "Overview")
		require.True(t, strings.HasPrefix(p.URL(), c.API+"/ui/overview?env="), p.URL())
	}
}

// revoke revokes every key of an environment, as the operator would.
func revoke(t *testing.T, c *testbed.Collector, key string) {
	t.Helper()
	me, err := testbed.Ask[struct {
		Organization struct{ ID string }
		Environment  struct{ Slug string }
		KeyID        string `json:"key_id"`
	}](t.Context(), c, http.MethodGet, "/v2/me", key, nil)
	require.NoError(t, err)
	_, err = testbed.Ask[any](t.Context(), c, http.MethodDelete,
		"/v2/organizations/"+me.Organization.ID+"/environments/"+me.Environment.Slug+"/keys/"+me.KeyID, testbed.AccessToken, nil)
	require.NoError(t, err)
}

func TestTwoEnvironmentsAndARevokedKey(t *testing.T) {
	t.Parallel()
	c := start(t)
	keys := keysOf(t, c, "Acme", "prd", "stg")
	p := open(t, c, "/ui/environment")
	signIn(t, p, keys[0])
	p.ByRole("heading", "Acme / prd")
	first := p.URL()
	p.ByRole("link", "Add an environment").Click()
	p.ByRole("heading", "Add an environment")
	signIn(t, p, keys[1])
	p.ByRole("heading", "Overview")
	id := strings.TrimPrefix(p.URL(), c.API+"/ui/overview?env=")

	p.Go(first)
	p.ByRole("heading", "Acme / prd")
	p.ByRole("combobox", "Environment").Choose(id)
	p.ByRole("heading", "Acme / stg")
	p.Back()
	p.ByRole("heading", "Acme / prd")

	revoke(t, c, keys[0])
	p.Reload()
	p.ByRole("heading", "A key of this environment is needed")
	p.ByRole("combobox", "Environment").Choose(id)
	p.ByRole("heading", "Acme / stg")

	other := open(t, c, "/ui/environment")
	signIn(t, other, keys[1])
	other.ByRole("heading", "Acme / stg")
	other.Go(first)
	other.ByRole("heading", "A key of this environment is needed")
}

func TestSessionThatEndsWhileAPageIsOpen(t *testing.T) {
	t.Parallel()
	c := start(t)
	keys := keysOf(t, c, "Acme", "prd")
	p := open(t, c, "/ui/environment")
	signIn(t, p, keys[0])
	p.ByRole("heading", "Acme / prd")
	beside := p.Beside(t)
	beside.Go(p.URL())
	beside.ByRole("heading", "Acme / prd")

	beside.ByRole("button", "Sign out").Click()
	beside.ByRole("heading", "Sign in")
	p.ByRole("dialog", "The session has ended")
	p.Press("\x1b")
	p.ByRole("dialog", "The session has ended")
	signIn(t, p, keys[0])
	p.Gone("dialog", "The session has ended")
	p.ByRole("heading", "Acme / prd")
	beside.ByRole("heading", "Acme / prd")
}

// Sessions survive a restart, and pages wait for the server.
func TestRestart(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	p.ByRole("heading", "Acme / prd")
	again := open(t, c, "/ui/signin")
	again.ByRole("textbox", field)
	require.NoError(t, c.Stop())
	signIn(t, again, key)
	again.Text("Next try in")
	launch(t, c)
	again.ByRole("heading", "Overview")
	p.Reload()
	p.ByRole("heading", "Acme / prd")
}

func TestExpiredSession(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	p.ByRole("heading", "Acme / prd")
	for _, cookie := range p.Cookies() {
		require.InDelta(t, float64(time.Now().Add(12*time.Hour).Unix()), cookie.Expires, 120)
	}
	p.ForgetCookies()
	p.Reload()
	p.ByRole("heading", "Sign in")
}
