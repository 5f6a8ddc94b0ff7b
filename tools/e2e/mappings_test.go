// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Mappings are tried on a stored span, saved, and there after another visit.
func TestMappings(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "acme", "prd")[0]
	const hostile = `<img src=x onerror="window.pwned=1"> Where is it?`
	send(t, c, key, sent{name: "step", service: "shop", model: "own", output: hostile})
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	p.ByRole("heading", "Mappings of attributes")
	p.ByRole("textbox", "Attribute").Paste("traceloop.entity.output")
	p.ByRole("button", "Try on stored spans").Click()
	p.Text("1 of the newest 1 span has one of the attributes.")
	p.Text("Where is it?")
	checkAccessible(t, p, "mappings that were tried")
	p.ByRole("button", "Save mappings").Click()
	p.Text("Saved. Spans that arrive from now on are read this way.")

	p.ByRole("button", "Add a mapping").Click()
	browser.Eval[any](p, `document.querySelector("[data-path='mappings[1].attribute']").focus()`)
	p.Press("touchstone.x")
	p.Expect("status of 400")
	p.ByRole("button", "Save mappings").Click()
	p.UntilTrue(`document.querySelector("[data-path='mappings[1].attribute']").getAttribute("aria-invalid") === "true"`)
	checkAccessible(t, p, "a mapping that is refused")

	p.Go(c.API + "/ui/environment")
	p.UntilTrue(`document.querySelector("[data-path='mappings[0].attribute']")?.value === "traceloop.entity.output"`)
	p.ByRole("button", "Remove the mapping of traceloop.entity.output").Click()
	p.ByRole("button", "Save mappings").Click()
	p.Text("Saved. Spans that arrive from now on are read this way.")
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
}
