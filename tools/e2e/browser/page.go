// SPDX-License-Identifier: Apache-2.0

//go:build ui

package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// patience is how long something may take before a test fails: many times as long as on an
// idle machine, with a page that tries a server again after half a minute.
const patience = 3 * time.Minute

// Page is one tab.
type Page struct {
	t     testing.TB
	ctx   context.Context
	guard *guard
}

// Open opens a tab that shares nothing with others. The test fails at its end if
// the page did what no page may do, such as asking another origin than own.
func (b *Browser) Open(t testing.TB, own string) *Page {
	t.Helper()
	g := &guard{own: own, expected: map[string]bool{}}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(g.see))
	return open(ctx, t, cancel, g)
}

// Beside opens another tab of the same person: storage and cookies are shared.
func (p *Page) Beside(t testing.TB) *Page {
	t.Helper()
	return p.Elsewhere(t, p.guard.own)
}

// Elsewhere is like Beside for a page of another origin.
func (p *Page) Elsewhere(t testing.TB, own string) *Page {
	t.Helper()
	g := &guard{own: own, expected: map[string]bool{}}
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithListener(g.see))
	return open(ctx, t, cancel, g)
}

func open(ctx context.Context, t testing.TB, cancel context.CancelFunc, g *guard) *Page {
	t.Helper()
	p := &Page{t: t, ctx: ctx, guard: g}
	t.Cleanup(func() {
		g.check(t)
		cancel()
	})
	require.NoError(t, chromedp.Do(ctx)) // the tab lives as long as the context that it began with
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, log.Enable, struct{}{})
		return err
	}))
	p.Size(1280, 800)
	return p
}

func (p *Page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, steps...))
}

// Go loads an address.
func (p *Page) Go(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.do(chromedp.Reload())
}

// Back goes one entry of the history back, to another address, and waits until it
// is there.
func (p *Page) Back() {
	p.t.Helper()
	before := p.URL()
	Eval[any](p, "history.back()")
	p.Until("another address than "+before, func() bool { return p.URL() != before })
}

// URL is what the address bar shows.
func (p *Page) URL() string {
	p.t.Helper()
	return Eval[string](p, "location.href")
}

// Size sets the size of the window in CSS pixels.
func (p *Page) Size(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// Theme sets what the system prefers, light or dark, and that it wants little
// motion.
func (p *Page) Theme(scheme string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(p.t, err)
}

// Zone has the page live in a time zone, by its IANA name.
func (p *Page) Zone(name string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
	require.NoError(p.t, err)
}

// ForceColors shows the page in the few colours that a user chose for all pages, or as
// it is.
func (p *Page) ForceColors(on bool) {
	p.t.Helper()
	value := "none"
	if on {
		value = "active"
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(p.t, err)
}

// Keys for Press that are no characters.
const (
	Up    = kb.ArrowUp
	Down  = kb.ArrowDown
	Left  = kb.ArrowLeft
	Right = kb.ArrowRight
	Home  = kb.Home
	End   = kb.End
)

// Press presses keys: characters, and the constants above. A page may
// keep a key from being typed, as it may for a user who presses it: so the
// character is part of the key going down.
func (p *Page) Press(keys string) {
	p.t.Helper()
	for _, key := range keys {
		events := kb.Encode(key)
		if len(events) == 3 {
			events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, e := range []*input.DispatchKeyEventParams{events[0], events[len(events)-1]} {
			_, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, *e)
			require.NoError(p.t, err)
		}
	}
}

// ClickAt clicks at a place of the window, with the left button of the mouse.
func (p *Page) ClickAt(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(x, y))
}

// MenuAt clicks at a place of the window, with the right button of the mouse.
func (p *Page) MenuAt(x, y float64) {
	p.t.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		_, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonRight, Buttons: 2, ClickCount: 1,
		})
		require.NoError(p.t, err)
	}
}

// Drag presses the mouse at a place of the window, moves it to another, and lets go.
func (p *Page) Drag(x, y, toX, toY float64) {
	p.t.Helper()
	const steps = 4
	mouse := func(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
		_, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1,
		})
		require.NoError(p.t, err)
	}
	mouse(input.DispatchMouseEventTypeMousePressed, x, y, 1)
	for i := 1.0; i <= steps; i++ {
		mouse(input.DispatchMouseEventTypeMouseMoved, x+(toX-x)*i/steps, y+(toY-y)*i/steps, 1)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, toX, toY, 0)
}

// Cookies are those of the page's address.
func (p *Page) Cookies() []*network.Cookie {
	p.t.Helper()
	got, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	require.NoError(p.t, err)
	return got.Cookies
}

// Picture is a PNG of what the window shows.
func (p *Page) Picture() []byte {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	return picture
}

// Heap is how many bytes the scripts of the page hold, of which nothing is garbage.
func (p *Page) Heap() int64 {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, struct{}{})
	require.NoError(p.t, err)
	got, err := chromedp.Call(p.ctx, runtime.GetHeapUsage, struct{}{})
	require.NoError(p.t, err)
	return int64(got.UsedSize)
}

// Eval evaluates an expression in the page, waits for it if it is a promise, and
// decodes what it gives.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	got, err := evaluate[T](p, expression)
	require.NoError(p.t, err, "%.200s", expression)
	return got
}

func evaluate[T any](p *Page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Until waits for a condition.
func (p *Page) Until(what string, holds func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			require.FailNow(p.t, "waited in vain for "+what, p.describe())
		}
		tick := time.NewTimer(20 * time.Millisecond)
		<-tick.C
	}
}

// UntilTrue waits for an expression of the page. While the page is left for
// another one nothing is true.
func (p *Page) UntilTrue(expression string) {
	p.t.Helper()
	p.Until(expression, func() bool {
		holds, err := evaluate[bool](p, "Boolean("+expression+")")
		if err != nil && strings.Contains(err.Error(), "Inspected target navigated") {
			return false
		}
		require.NoError(p.t, err, "%.200s", expression)
		return holds
	})
}

// Text waits until the page shows a text.
func (p *Page) Text(text string) {
	p.t.Helper()
	p.UntilTrue(fmt.Sprintf("document.body?.innerText.includes(%q)", text))
}

func (p *Page) describe() string {
	return Eval[string](p, "location.href + '\\n' + document.body?.innerText")
}

// ForgetCookies removes the cookies, as a browser does when they are over.
func (p *Page) ForgetCookies() {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, network.ClearBrowserCookies, struct{}{})
	require.NoError(p.t, err)
}

// Withhold has requests fail for the assets of these names, and for no others.
func (p *Page) Withhold(names ...string) {
	p.t.Helper()
	var paths []string
	for _, name := range names {
		paths = append(paths, "/ui/assets/*/"+name)
	}
	p.Cut(paths...)
}

// Cut has requests fail for these paths, in which * stands for anything, and for no
// others, as if the server were away.
func (p *Page) Cut(paths ...string) {
	p.t.Helper()
	patterns := []*network.BlockPattern{}
	for _, path := range paths {
		patterns = append(patterns, &network.BlockPattern{URLPattern: "*://*:*" + path, Block: true})
	}
	_, err := chromedp.Call(p.ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
	require.NoError(p.t, err)
}
