// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// answered counts the answers that a page got well to the last part of an address.
func answered(p *browser.Page, name string) (n int) {
	for _, a := range p.Answers() {
		if path.Base(a.URL) == name && a.Status == http.StatusOK {
			n++
		}
	}
	return n
}

// loaded waits until a page has the files of these names.
func loaded(p *browser.Page, names ...string) {
	for _, name := range names {
		p.Until(name, func() bool { return answered(p, name) > 0 })
	}
}

// shows has what each screen shows where there is nothing yet.
var shows = map[string]string{
	"Review":     "No result in this period says that a span passes or fails.",
	"Explore":    "No span has arrived in this environment yet.",
	"Verdicts":   "No verdict in this period.",
	"Monitors":   "No monitors in this environment.",
	"Evaluators": "New evaluator",
	"Health":     "Oldest pending",
	"Alerts":     "No alerts in this environment.",
}

// otherFiles are those of screens that the first view does not need.
var otherFiles = []string{"overview.js", "explore.js", "review.js", "trace.js", "alerts.js", "monitors.js", "verdicts.js", "evaluators.js", "health.js"}

// Screens that the first view does not need come after it by themselves, so that
// nothing is asked for when they are shown.
func TestScreensThatAreLoadedAhead(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	loaded(p, otherFiles...)
	require.Zero(t, answered(p, "organizations.js"), "it is for the access token")
	p.Withhold(otherFiles...)
	for name, text := range shows {
		p.ByRole("link", name).Click()
		p.Text(text)
		p.Back() // there the menu alone has links of these names
		p.ByRole("heading", "Spans")
	}
}

// A screen whose file could not be loaded says so: it waits for a server that does
// not answer, and of one that does it wants the page again.
func TestScreenThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	const again = "Load the page again"
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/signin")
	p.ByRole("textbox", field)
	p.Withhold("monitors.js", "health.js")
	p.Go(c.API + "/ui/monitors")
	signIn(t, p, key)
	p.Text("This screen could not be loaded.")
	checkAccessible(t, p, "a screen that could not be loaded")
	p.ByRole("link", "Verdicts").Click() // the others are there
	p.Text(shows["Verdicts"])
	p.Back()
	p.Text("This screen could not be loaded.")
	p.Withhold("health.js")
	before := answered(p, "session")
	p.ByRole("button", again).Click()
	p.Until("a new page", func() bool { return answered(p, "session") > before }) // the old one cannot be asked any more
	p.Text(shows["Monitors"])
	loaded(p, "evaluators.js")

	require.NoError(t, c.Stop())
	p.ByRole("link", "Health").Click()
	p.Text("Next try in")
	p.Withhold()
	launch(t, c)
	// Some browsers remember for the life of a page that a file could not be loaded.
	p.UntilTrue(fmt.Sprintf("[%q, %q].some((t) => document.body?.innerText.includes(t))", shows["Health"], again))
	for _, button := range p.All("button", again) {
		button.Click()
	}
	p.Text(shows["Health"])
}
