// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// finding is what axe has to say: https://www.deque.com/axe/core-documentation/api-documentation/
type finding struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// checkAccessible has axe look at what is shown, in both themes, wide and as
// narrow as 400 % of zoom makes it, and nothing may need scrolling sideways.
func checkAccessible(t *testing.T, p *browser.Page, state string) {
	t.Helper()
	checkAccessibleAt(t, p, state, 800)
}

// screens are the widths of a monitor, of a tablet, of a telephone, and of a page at 400 %
// of zoom.
var screens = []int64{1440, 1024, 390, 320}

// checkAccessibleAt is checkAccessible in windows of some height, and of these widths if
// there are any, of which it writes pictures to TOUCHSTONE_PICTURES.
func checkAccessibleAt(t *testing.T, p *browser.Page, state string, height int64, widths ...int64) {
	t.Helper()
	if len(widths) == 0 {
		widths = []int64{1280, 320}
	}
	axe, err := os.ReadFile("../../ui/node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "run npm ci in ui/")
	for _, theme := range []string{"light", "dark"} {
		p.Theme(theme)
		for _, width := range widths {
			p.Size(width, height)
			at := fmt.Sprintf("%s, %s, %d px", state, theme, width)
			if !browser.Eval[bool](p, "Boolean(window.axe)") {
				browser.Eval[any](p, string(axe)+";undefined")
			}
			findings := browser.Eval[[]finding](p,
				`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) => r.violations)`)
			require.Empty(t, findings, at)
			require.LessOrEqual(t, browser.Eval[int64](p, "document.documentElement.scrollWidth"), width, at)
			if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
				name := strings.NewReplacer(" ", "-", ",", "").Replace(at) + ".png"
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), p.Picture(), 0o600))
			}
		}
	}
	p.Size(1280, 800)
}

func TestAccessibility(t *testing.T) {
	t.Parallel()
	c := start(t)
	keys := keysOf(t, c, "Acme with a name that is rather long for a header", "prd", "stg")
	p := open(t, c, "/ui/environment")
	p.ByRole("textbox", field)
	checkAccessible(t, p, "signing in")
	signIn(t, p, "tl_wrong")
	p.Text("Unknown or revoked key")
	checkAccessible(t, p, "a wrong key")
	signIn(t, p, keys[0])
	p.ByRole("button", "Copy")
	p.Text("Evaluation is up to date")
	checkAccessible(t, p, "environment")
	p.ByRole("button", "Keys").Click()
	p.ByRole("dialog", "Keys")
	checkAccessible(t, p, "keys")
	p.Press("\x1b")
	p.Gone("dialog", "Keys")
	p.Go(c.API + "/ui/nothing")
	p.ByRole("heading", "There is no such page")
	checkAccessible(t, p, "unknown page")
	p.Go(c.API + "/ui/environment?env=another")
	p.ByRole("heading", "A key of this environment is needed")
	checkAccessible(t, p, "a key is needed")
	p.Go(c.API + "/ui/signin")
	p.ByRole("heading", "Add an environment")
	checkAccessible(t, p, "adding an environment")
	revoke(t, c, keys[0])
	p.Go(c.API + "/ui/environment")
	p.ByRole("heading", "Sign in")
}

// Everything can be done by keys alone, and the focus is where one would look.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/environment")
	f := p.ByRole("textbox", field)
	require.True(t, f.Focused())
	p.Press("?g") // typed, not obeyed
	require.Equal(t, "?g", f.Value())
	p.Press("\b\b")
	p.Press(key + "\r")
	p.ByRole("heading", "Acme / prd")

	focused := func() string {
		return browser.Eval[string](p, `(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText).trim()`)
	}
	require.Equal(t, "content", browser.Eval[string](p, "document.activeElement.id"), "a screen reader tells of the new page")
	p.Reload()
	p.ByRole("heading", "Acme / prd")
	var order []string
	for range 16 {
		p.Press("\t")
		order = append(order, focused())
	}
	require.Equal(t, []string{
		"Skip to the content", "Touchstone", "Environment", "UTC", "Theme: as the system", "Keys", "Sign out", "Overview", "Explore", "Monitors", "Verdicts", "Review", "Alerts", "Evaluators", "Health", "Environment",
	}, order)

	p.Press("?")
	p.ByRole("dialog", "Keys")
	p.Press("\x1b")
	p.Gone("dialog", "Keys")
	require.Equal(t, "Environment", focused(), "back where it was")

	p.Press("?")
	p.ByRole("checkbox", "Single keys work").Click()
	p.Press("\x1b")
	p.Gone("dialog", "Keys")
	p.Press("?")
	require.Empty(t, p.All("dialog", "Keys"), "single keys are off")
	p.ByRole("button", "Keys").Click()
	p.ByRole("checkbox", "Single keys work").Click()
	p.ByRole("button", "Close").Click()
	p.Gone("dialog", "Keys")

	p.Go(c.API + "/ui/nothing")
	p.ByRole("heading", "There is no such page")
	p.Press("gn")
	p.ByRole("heading", "Acme / prd")

	p.ByRole("button", "Theme: as the system").Click()
	p.ByRole("button", "Theme: light").Click()
	p.ByRole("button", "Theme: dark")
	require.Equal(t, "dark", browser.Eval[string](p, "document.documentElement.dataset.theme"))
	p.Reload()
	p.ByRole("button", "Theme: dark")
}
