// SPDX-License-Identifier: Apache-2.0

//go:build ui

// Package browser drives one Chromium for the tests of the web UI. It finds
// things as a screen reader does, by role and name, waits for conditions, and
// keeps account of what no page may do. Nothing else knows the protocol.
package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// names are the programs that are looked for when BROWSER names none.
var names = []string{"chromium-headless-shell", "chromium", "google-chrome"}

// Browser is one running browser. Pages are opened in contexts of their own,
// which share nothing.
type Browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

// Start finds a browser and starts it.
func Start() (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.Headless, chromedp.DisableGPU, chromedp.Env("TZ=UTC"),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		// So that a test can come from another host name without a name server.
		chromedp.Flag("host-resolver-rules", "MAP touchstone.test 127.0.0.1"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	b := &Browser{}
	allocated, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	b.cancel = append(b.cancel, cancel)
	b.ctx, cancel = chromedp.NewContext(allocated)
	b.cancel = append(b.cancel, cancel)
	if err := chromedp.Do(b.ctx); err != nil {
		b.Stop()
		return nil, err
	}
	return b, nil
}

func find() (string, error) {
	if path := os.Getenv("BROWSER"); path != "" {
		return exec.LookPath(path)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no browser was found: apt-get install --no-install-recommends chromium, or name one in BROWSER")
}

// Stop ends the browser.
func (b *Browser) Stop() {
	for i := len(b.cancel) - 1; i >= 0; i-- {
		b.cancel[i]()
	}
}
