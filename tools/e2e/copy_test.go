// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// mayCopy makes the browser let the page copy, into window.copied.
const mayCopy = `Object.defineProperty(navigator, "clipboard", {configurable: true, value: {writeText: (text) => { window.copied = text; return Promise.resolve() }}})`

// mayNotCopy makes the browser refuse, as it does without TLS.
const mayNotCopy = `Object.defineProperty(navigator, "clipboard", {configurable: true, value: undefined})`

// What is copied is what is shown, and where the browser lets no page copy it is
// selected, ready for the keys that copy.
func TestCopying(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	signIn(t, p, key)
	b := p.ByRole("button", "Copy")
	browser.Eval[any](p, mayCopy)
	b.Click()
	p.Text("Copied")
	require.Contains(t, browser.Eval[string](p, "window.copied"), "OTEL_EXPORTER_OTLP_HEADERS=\"authorization=Bearer%20")
	browser.Eval[any](p, mayNotCopy)
	b.Click()
	p.Text("Select and copy it")
	require.Contains(t, browser.Eval[string](p, "getSelection().toString()"), "OTEL_EXPORTER_OTLP_HEADERS=\"authorization=Bearer%20")

	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, 10)
	p.Go(c.API + "/ui/spans?t=1h")
	p.ByRole("button", "Copy link")
	browser.Eval[any](p, mayNotCopy)
	p.Press("c")
	link := p.ByRole("textbox", "Copy link")
	require.True(t, link.Focused())
	require.Contains(t, link.Value(), c.API+"/ui/spans?")
	require.Equal(t, link.Value(), browser.Eval[string](p, "getSelection().toString()"))
}
