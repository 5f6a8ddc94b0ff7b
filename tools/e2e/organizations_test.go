// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

func TestOrganizations(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/")
	signIn(t, p, testbed.AccessToken)
	p.ByRole("heading", "Organizations")
	p.Text("There is no organization yet.")
	checkAccessible(t, p, "no organizations")
	require.Empty(t, p.All("link", "Explore"), "the access token sees none")

	const hostile = `<img src=x onerror="window.pwned=1">`
	p.ByRole("textbox", "Name").Paste(hostile)
	p.ByRole("textbox", "Environments").Paste("prd, stg")
	p.ByRole("textbox", "Spans are kept for, hours").Paste("721")
	p.Expect("status of 400")
	p.ByRole("button", "Create organization").Click()
	p.UntilTrue(`document.querySelector("[data-path=retention_hours]").getAttribute("aria-invalid") === "true"`)
	checkAccessible(t, p, "an organization that is refused")
	browser.Eval[any](p, `document.querySelector("[data-path=retention_hours]").select()`)
	p.ByRole("textbox", "Spans are kept for, hours").Paste("48")
	p.ByRole("button", "Create organization").Click()
	p.Text("Keys are shown once.")
	p.ByRole("button", "Sign in to stg")
	p.Text("2 days")
	checkAccessible(t, p, "keys that were made")
	key := browser.Eval[string](p, `document.querySelector(".once code").innerText`)
	_, err := testbed.Ask[any](t.Context(), c, http.MethodGet, "/v2/me", key, nil)
	require.NoError(t, err)
	p.ByRole("button", "Done").Click()
	p.Gone("button", "Sign in to stg")
	require.NotContains(t, browser.Eval[string](p, "document.documentElement.outerHTML + JSON.stringify(localStorage)"), key)

	p.ByRole("link", hostile).Click()
	p.Until("keys of both", func() bool { return rows(p) == 2 })
	checkAccessible(t, p, "an organization")
	browser.Eval[any](p, `document.querySelectorAll("[data-path=name]")[0].focus()`)
	p.Press("browser app\r")
	p.Text("Keys are shown once.")
	p.Until("one more key", func() bool { return rows(p) == 3 })
	made := browser.Eval[string](p, `document.querySelector(".once code").innerText`)
	_, err = testbed.Ask[any](t.Context(), c, http.MethodGet, "/v2/me", made, nil)
	require.NoError(t, err)
	browser.Eval[any](p, `[...document.querySelectorAll("button")].find((b) => (b.getAttribute("aria-label") ?? "").startsWith("Revoke browser app")).click()`)
	p.ByRole("textbox", "Type browser app to go on").Paste("browser app")
	checkAccessible(t, p, "revoking a key")
	p.Press("\r")
	p.Text("revoked")
	require.NoError(t, c.Await(t.Context(), "the key is refused", func() (bool, error) {
		status, _, err := c.Call(t.Context(), http.MethodGet, "/v2/me", made, nil)
		return status == http.StatusUnauthorized, err
	}))

	p.ByRole("textbox", "Model").Paste("gpt-4o")
	p.ByRole("textbox", "Input").Paste("2.5")
	p.ByRole("button", "Set price").Click()
	p.Text("Output is required")
	p.ByRole("textbox", "Output").Paste("10")
	p.ByRole("button", "Set price").Click()
	p.Text("$2.5")
	checkAccessible(t, p, "prices of an organization")
	p.ByRole("button", "Remove the price of gpt-4o").Click()
	p.Gone("button", "Remove the price of gpt-4o")

	p.ByRole("textbox", "Name of the environment").Paste("tst")
	p.ByRole("button", "Create environment").Click()
	p.ByRole("button", "Sign in to tst").Click()
	p.ByRole("heading", "Overview")
	p.Text("No span has arrived in this environment yet.")
	p.Text("authorization=Bearer%20tl_")
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))

	p.Go(c.API + "/ui/organizations?env=operator")
	p.ByRole("link", hostile).Click()
	p.UntilTrue(`document.querySelectorAll("table").length === 3`)
	p.ByRole("button", "Delete organization").Click()
	p.ByRole("textbox", "Type "+hostile+" to go on").Paste(hostile)
	p.Press("\r")
	p.Text("delet")
	p.UntilTrue(`document.querySelectorAll("table").length === 0`)
	status, _, err := c.Call(t.Context(), http.MethodGet, "/v2/me", key, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status)
}
