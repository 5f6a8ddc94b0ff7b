// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/ui/e2e/browser"
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
	shoot := func(p *browser.Page, name string) {
		for _, theme := range []string{"light", "dark"} {
			p.Theme(theme)
			for width, size := range map[string][2]int64{"1280": {1280, 800}, "390": {390, 844}} {
				p.Size(size[0], size[1])
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+"-"+theme+"-"+width+".png"), p.Picture(), 0o600))
			}
		}
		p.Size(1280, 800)
	}
	p := open(t, c, "/ui/environment")
	p.ByRole("button", "Sign in")
	shoot(p, "signin")
	signIn(t, p, "tl_wrong")
	p.Text("This key is not known")
	shoot(p, "signin-wrong")
	signIn(t, p, keys[0])
	p.ByRole("heading", "Acme / prd")
	p.Text("Evaluation is up to date")
	shoot(p, "environment")
	p.ByRole("button", "Keys").Click()
	p.ByRole("dialog", "Keys")
	shoot(p, "keys")

	p.Go(c.API + "/ui/spans")
	p.Text("No spans in this period.")
	shoot(p, "spans-none")
	monitors(t, c, keys[0])
	send(t, c, keys[0], conversation(60)...)
	await(t, c, keys[0], 60)
	p.Reload()
	p.Text("60 spans")
	p.Text("char_count = ")
	shoot(p, "spans")
	sendTrace(t, c, keys[0], traceOf(1), hasBegun(2*time.Minute), agent())
	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?span=" + spanOf(8).String())
	p.Text("Anything else I can do for you?")
	p.Text("✗")
	shoot(p, "trace")
	p.Press("2")
	p.Text("4 of 5 auto monitor setups match")
	shoot(p, "trace-verdicts")
	p.Press("3")
	p.Text("Attributes of the resource")
	shoot(p, "trace-attributes")
}
