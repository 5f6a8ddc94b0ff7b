// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// TestPictures writes pictures of every screen to the directory that
// TOUCHSTONE_PICTURES names, for people to look at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("TOUCHSTONE_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	c := start(t)
	keys, err := c.Keys(t.Context(), "Acme", "prd")
	require.NoError(t, err)
	shoot := func(p *browser.Page, name string) { picture(t, dir, p, name) }
	p := open(t, c, "/ui/environment")
	p.ByRole("button", "Sign in")
	shoot(p, "signin")
	signIn(t, p, "tl_wrong")
	p.Text("Unknown or revoked key")
	shoot(p, "signin-wrong")
	signIn(t, p, keys[0])
	p.ByRole("heading", "Acme / prd")
	p.Text("Evaluation is up to date")
	shoot(p, "environment")
	p.ByRole("button", "Keys").Click()
	p.ByRole("dialog", "Keys")
	shoot(p, "keys")

	p.Go(c.API + "/ui/spans")
	p.Text("No span has arrived in this environment yet.")
	shoot(p, "spans-none")
	monitors(t, c, keys[0])
	send(t, c, keys[0], conversation(60)...)
	await(t, c, keys[0], 60)
	p.Reload()
	p.Text("60 spans")
	p.Text("char_count = ")
	p.UntilTrue(`document.querySelector(".bars") !== null`)
	shoot(p, "spans")
	p.Press("l")
	p.Text("New spans appear as they arrive")
	shoot(p, "live")
	p.Press("l")
	sendTrace(t, c, keys[0], traceOf(1), hasBegun(2*time.Minute), agent())
	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?span=" + spanOf(8).String())
	p.Text("Anything else I can do for you?")
	p.Text("✗")
	shoot(p, "trace")
	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?view=conversation")
	p.Text("3 earlier messages")
	shoot(p, "conversation")
	p.Go(c.API + "/ui/spans?sel=" + traceOf(1).String() + "." + spanOf(8).String())
	p.Text("70 spans")
	p.Text("Anything else I can do for you?")
	shoot(p, "beside")
	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?span=" + spanOf(8).String())
	p.Text("Anything else I can do for you?")
	p.Press("2")
	p.Text("4 of 5 auto monitor setups match")
	shoot(p, "trace-verdicts")
	p.Press("3")
	p.Text("Attributes of the resource")
	shoot(p, "trace-attributes")
	steps := []step{{name: "index the shop", took: 2 * time.Second, attributes: map[string]any{"gen_ai.operation.name": "invoke_agent"}}}
	for i := range 60 {
		steps = append(steps, step{name: "embed", above: 1, from: time.Duration(i) * 20 * time.Millisecond, took: 16 * time.Millisecond, attributes: map[string]any{"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "small"}})
	}
	steps = append(steps, step{name: "store", above: 1, from: 1300 * time.Millisecond, took: 600 * time.Millisecond}, step{name: "feedback", above: -1, from: time.Minute, took: time.Second})
	sendTrace(t, c, keys[0], traceOf(2), hasBegun(5*time.Minute), steps)
	p.Go(c.API + "/ui/traces/" + traceOf(2).String())
	p.Text("× 60")
	p.Text("This span recorded no input or output.")
	shoot(p, "trace-alike")
}

// picture writes pictures of what is shown: both themes, wide and narrow.
func picture(t *testing.T, dir string, p *browser.Page, name string) {
	t.Helper()
	for _, theme := range []string{"light", "dark"} {
		p.Theme(theme)
		for width, size := range map[string][2]int64{"1280": {1280, 800}, "390": {390, 844}} {
			p.Size(size[0], size[1])
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-"+theme+"-"+width+".png"), p.Picture(), 0o600))
		}
	}
	p.Size(1280, 800)
	p.ForceColors(true)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-forced-1280.png"), p.Picture(), 0o600))
	p.ForceColors(false)
}

// TestPicturesOfVerdicts does the same for what is judged: monitors and verdicts
// over time.
func TestPicturesOfVerdicts(t *testing.T) {
	dir := os.Getenv("TOUCHSTONE_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	c := start(t)
	keys, err := c.Keys(t.Context(), "Acme", "prd")
	require.NoError(t, err)
	p := open(t, c, "/ui/monitors")
	signIn(t, p, keys[0])
	p.Text("No monitors in this environment.")
	picture(t, dir, p, "monitors-none")
	monitors(t, c, keys[0])
	send(t, c, keys[0], hours(240, 5*time.Minute)...)
	await(t, c, keys[0], 240)
	p.Reload()
	p.ByRole("link", "personal data")
	picture(t, dir, p, "monitors")
	p.Go(c.API + "/ui/monitors/personal%20data")
	p.ByRole("button", "Table")
	picture(t, dir, p, "monitor")
	p.Go(c.API + "/ui/monitors/refunds?tab=funnel")
	p.Text("All spans of the period")
	picture(t, dir, p, "funnel")
	p.Go(c.API + "/ui/monitors/new?ready=personal")
	p.Text("spans match.")
	p.ByRole("button", "Run on these samples").Click()
	p.UntilTrue(`document.querySelectorAll(".samples .mark").length > 0`)
	picture(t, dir, p, "monitor-new")
	p.Go(c.API + "/ui/verdicts?t=24h")
	p.UntilTrue(`document.querySelectorAll(".quality tbody tr").length > 0`)
	p.ByRole("table", "Verdicts")
	picture(t, dir, p, "trends")
	p.Go(c.API + "/ui/verdicts?t=24h&m=pii-detector.has_pii&by=service_name")
	p.Text("Based on")
	picture(t, dir, p, "trend")
	p.Go(c.API + "/ui/verdicts?t=24h&m=char-count.char_count")
	p.Text("Distribution")
	picture(t, dir, p, "trend-number")
	p.Go(c.API + "/ui/verdicts?t=&from=" + strconv.FormatInt(time.Now().Add(-10*time.Hour).Unix(), 10) + "&to=" + strconv.FormatInt(time.Now().Unix(), 10) + "&m=pii-detector.has_pii&compare=1")
	p.Text("previous period")
	p.Until("spans behind it", func() bool { return browser.Eval[int](p, `document.querySelectorAll(".behind tbody tr").length`) > 0 })
	picture(t, dir, p, "trend-compared")
	p.Go(c.API + "/ui/verdicts?t=24h&m=pii-detector.has_pii&by=service_name&chart=bars&step=3600&compare=1")
	p.UntilTrue(`document.querySelectorAll(".lines .bar").length > 10`)
	picture(t, dir, p, "trend-bars")
	p.Go(c.API + "/ui/evaluators")
	p.ByRole("link", "pii-detector")
	picture(t, dir, p, "evaluators")
	p.Go(c.API + "/ui/evaluators/pii-detector")
	p.ByRole("textbox", "text *").Paste("Write to anna.miller@example.com or call +1 212 555 0147.")
	p.ByRole("button", "Run").Click()
	p.Text("has_pii")
	browser.Eval[any](p, `window.scrollTo(0, 0)`)
	picture(t, dir, p, "evaluator")
	p.Go(c.API + "/ui/evaluators/new")
	p.ByRole("heading", "New evaluator")
	picture(t, dir, p, "evaluator-new")
	p.Go(c.API + "/ui/health")
	p.UntilTrue(`document.querySelectorAll("svg.bars").length === 2`)
	picture(t, dir, p, "health")
	p.Go(c.API + "/ui/signin")
	signIn(t, p, testbed.AccessToken)
	p.ByRole("heading", "Organizations")
	picture(t, dir, p, "organizations")
	p.ByRole("link", "Acme").Click()
	p.Until("its keys", func() bool { return rows(p) > 0 })
	picture(t, dir, p, "organization")
	p.Go(c.API + "/ui/health?env=operator")
	p.UntilTrue(`document.querySelectorAll("svg.bars").length === 3`)
	picture(t, dir, p, "health-operator")
}
