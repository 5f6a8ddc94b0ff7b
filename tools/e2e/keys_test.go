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

// The holder of a full key creates keys of its environment and revokes them; a key that only
// reads sees them.
func TestOwnKeys(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	p.Text("in use here")
	p.Expect("status of 400")
	p.ByRole("button", "Create key").Click()
	p.Text("Name of the key is required")
	p.ByRole("textbox", "Name of the key").Paste("dashboard")
	p.ByRole("combobox", "May").Choose("read")
	p.ByRole("button", "Create key").Click()
	p.Text("Keys are shown once.")
	made := browser.Eval[string](p, `document.querySelector(".once code").innerText`)
	checkAccessibleAt(t, p, "keys of an environment", 900, screens...)
	p.ByRole("button", "Done").Click()
	p.Gone("button", "Done")

	reader := open(t, c, "/ui/environment")
	signIn(t, reader, made)
	reader.Text("dashboard")
	require.Empty(t, reader.All("button", "Create key"))
	require.False(t, browser.Eval[bool](reader, `[...document.querySelectorAll("button")].some((b) => b.innerText === "Revoke")`))

	browser.Eval[any](p, `[...document.querySelectorAll("button")].find((b) => (b.getAttribute("aria-label") ?? "").startsWith("Revoke dashboard")).click()`)
	p.ByRole("textbox", "Type dashboard to go on").Paste("dashboard")
	p.Press("\r")
	p.Text("revoked")
	require.NoError(t, c.Await(t.Context(), "the key is refused", func() (bool, error) {
		status, _, err := c.Call(t.Context(), http.MethodGet, "/v2/me", made, nil)
		return status == http.StatusUnauthorized, err
	}))
	_, err := testbed.Ask[any](t.Context(), c, http.MethodGet, "/v2/me", key, nil)
	require.NoError(t, err)
}

// The holder of a full key shortens the retention of its environment, and reads what goes.
func TestOwnRetention(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	p.Text("1 to 720.")
	p.Expect("status of 400")
	paste := func(hours string) {
		browser.Eval[any](p, `document.querySelector("[data-path=retention_hours]").select()`)
		p.ByRole("textbox", "Spans are kept for, hours").Paste(hours)
	}
	paste("721")
	p.ByRole("button", "Set retention").Click()
	p.UntilTrue(`document.querySelector("[data-path=retention_hours]").getAttribute("aria-invalid") === "true"`)
	paste("48")
	p.Text("older than 2 days")
	p.ByRole("button", "Set retention").Click()
	require.NoError(t, c.Await(t.Context(), "the environment has the retention", func() (bool, error) {
		me, err := testbed.Ask[struct {
			Environment struct {
				Hours int `json:"retention_hours"`
			} `json:"environment"`
		}](t.Context(), c, http.MethodGet, "/v2/me", key, nil)
		return me.Environment.Hours == 48, err
	}))
	checkAccessibleAt(t, p, "retention of an environment", 900, screens...)
}
