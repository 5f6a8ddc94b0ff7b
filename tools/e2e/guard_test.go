// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// No text becomes markup or a script in these pages, and nothing is loaded from
// elsewhere, whatever the sources say.
func TestPolicy(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/")
	p.ByRole("textbox", field)
	for _, expected := range []string{"TrustedHTML", "TrustedScript", "Content Security Policy", "Content Security policy", "request to another origin", "CORS policy"} {
		p.Expect(expected)
	}
	thrown := func(script string) bool {
		return browser.Eval[bool](p, "(() => { try { "+script+"; return false } catch { return true } })()")
	}
	require.True(t, thrown(`document.body.innerHTML = "<b>x</b>"`))
	require.True(t, thrown(`document.body.insertAdjacentHTML("beforeend", "<b>x</b>")`))
	require.True(t, thrown(`document.write("x")`))
	require.True(t, thrown(`document.createElement("script").text = "window.pwned = 1"`))
	require.True(t, thrown(`document.createElement("iframe").srcdoc = "<b>x</b>"`))
	require.True(t, thrown(`trustedTypes.createPolicy("x", {})`))
	require.True(t, thrown(`document.createElement("a").setAttribute("onclick", "window.pwned = 1")`))
	require.True(t, browser.Eval[bool](p, `fetch("https://example.com/").then(() => false, () => true)`))
	require.True(t, browser.Eval[bool](p, `new Promise((done) => { const i = new Image(); i.onerror = () => done(true); i.onload = () => done(false); i.src = "https://example.com/x.png" })`))
	require.True(t, browser.Eval[bool](p, `window.pwned === undefined`))
}

// The first view takes few requests, each of them well.
func TestFirstView(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/")
	p.ByRole("textbox", field)
	answers := p.Answers()
	require.LessOrEqual(t, len(answers), 6)
	for _, a := range answers {
		require.Less(t, a.Status, 400, a.URL)
		require.NotEmpty(t, a.Header.Get("Content-Security-Policy"), a.URL)
	}
}
