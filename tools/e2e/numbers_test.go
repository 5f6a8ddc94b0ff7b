// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A number leads to as many spans as it says, wherever it stands.
func TestNumbersLeadToTheirSpans(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, hours(66, 5*time.Minute)...)
	await(t, c, key, 66)
	p := open(t, c, "/ui/monitors")
	signIn(t, p, key)
	p.ByRole("link", "personal data")

	// follow goes through the links that a selector finds, and back.
	follow := func(path, ready, selector string) {
		t.Helper()
		p.Go(c.API + path)
		p.UntilTrue(ready)
		all := browser.Eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((a) => a.innerText)`, selector))
		require.NotEmpty(t, all, "%s %s", path, selector)
		for i, shown := range all {
			n, _, _ := strings.Cut(shown, " ")
			browser.Eval[any](p, fmt.Sprintf(`document.querySelectorAll(%q)[%d].click()`, selector, i))
			p.UntilTrue(`location.pathname.endsWith("/spans")`)
			noun := " spans"
			if n == "1" {
				noun = " span"
			}
			p.Text(n + noun)
			p.Go(c.API + path)
			p.UntilTrue(ready)
			p.Until("the numbers", func() bool {
				return browser.Eval[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector)) >= len(all)
			})
		}
	}
	follow("/ui/monitors", `document.querySelectorAll("td[data-name=Failing] a").length > 0`, "table.monitors td a")
	follow("/ui/monitors/personal%20data", `document.querySelectorAll(".figures dd").length === 4 && document.querySelector("td[data-name=Failing] a") !== null`, ".figures dd a, tbody td[data-name] a")

	// Bars, by their table.
	table := `(() => { for (const b of document.querySelectorAll("button")) if (b.innerText === "Table" && b.ariaPressed !== "true") b.click(); return document.querySelectorAll(".numbers td a").length > 0 })()`
	follow("/ui/monitors/personal%20data", `document.querySelector("svg.bars") !== null || document.querySelector(".numbers") !== null ? `+table+` : false`, ".numbers td a")
	follow("/ui/health", `document.querySelectorAll("svg.bars").length + document.querySelectorAll(".numbers").length === 2 ? `+table+` : false`, ".numbers td a")
}
