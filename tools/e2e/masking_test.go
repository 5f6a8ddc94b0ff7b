// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// What happens to content is chosen next to the evaluator, what cannot be done is explained
// there, and what is chosen is done with the spans that come.
func TestMaskingIsChosen(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/monitors/new?evaluator=pii-detector")
	signIn(t, p, key)
	p.ByRole("textbox", "Name").Paste("private")
	p.Text("1 chosen: pii-detector")
	browser.Eval[any](p, `document.querySelector("details").open = true`)
	p.ByRole("textbox", "Sample, per cent").Paste("50")
	p.ByRole("combobox", "If it fails a span").Choose("mask")
	p.ByRole("combobox", "If it cannot evaluate").Choose("keep")
	p.Expect("status of 400")
	p.Text("If it fails a span: pii-detector must judge every span") // said by the preview
	p.ByRole("button", "Create").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "on_verdict[0].action" && document.activeElement.getAttribute("aria-invalid") === "true"`)
	checkAccessible(t, p, "what cannot be done on a verdict")
	browser.Eval[any](p, `document.querySelector("[data-path='evaluators[0].sample_rate']").select()`)
	p.Press("\b")
	p.UntilTrue(`document.querySelector("[data-path='evaluators[0].sample_rate']").value === ""`)
	p.ByRole("button", "Create").Click()
	p.ByRole("navigation", "Parts of the monitor")
	require.Equal(t, []map[string]string{{"evaluator": "pii-detector", "action": "mask", "on_failure": "keep"}}, setup(t, c, key, "private").OnVerdict)

	p.ByRole("link", "Settings").Click()
	p.Text("If it fails a span: mask what is found; If it cannot evaluate: keep it")
	s := conversation(1)
	s[0].output = "Write to anna.miller@example.com."
	send(t, c, key, s...)
	await(t, c, key, 1)
	p.Go(c.API + "/ui/spans?t=24h")
	p.Text("[masked:email_address]")

	p.Go(c.API + "/ui/monitors/private/edit")
	p.UntilTrue(`document.querySelector("[data-path='on_verdict[0].action']")?.value === "mask"`)
	browser.Eval[any](p, `document.querySelector("details").open = true`)
	p.ByRole("combobox", "If it fails a span").Choose("")
	p.UntilTrue(`document.querySelector("[data-path='on_verdict[0].on_failure']") === null`)
	p.ByRole("button", "Save").Click()
	p.ByRole("navigation", "Parts of the monitor")
	require.Empty(t, setup(t, c, key, "private").OnVerdict)
}
