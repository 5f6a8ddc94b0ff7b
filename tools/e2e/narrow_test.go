// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"
	"time"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Where there is little room the fields of a filter are folded until they are
// wanted, by a click or by their key.
func TestFiltersAreFoldedWhereThereIsLittleRoom(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, hours(5, time.Minute)...)
	await(t, c, key, 5)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("5 spans")
	p.Size(390, 844)
	const shown, focused = `document.querySelector("[role=search]").checkVisibility()`, `document.activeElement.getAttribute("aria-label") === "Field"`
	p.UntilTrue(`!` + shown)
	browser.Eval[any](p, `document.querySelector(".filters button").click()`)
	p.UntilTrue(shown + ` && ` + focused)
	checkAccessible(t, p, "filters that were unfolded")
	p.Size(390, 844)
	p.Press("status:error\r")
	p.UntilTrue(`location.search.includes("status_code")`)
	p.Reload()
	p.UntilTrue(`document.querySelector("[aria-label=Filters] li") !== null && !` + shown) // what holds is to be seen all the same
	p.Press("/")
	p.UntilTrue(shown + ` && ` + focused)
	p.Size(1280, 800)
	p.UntilTrue(`!document.querySelector(".filters > button").checkVisibility()`)
}
