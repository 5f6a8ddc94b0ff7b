// SPDX-License-Identifier: Apache-2.0

//go:build ui

package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// guard keeps account of what no page may do: throw, complain on the console,
// break the content security policy, ask another origin.
type guard struct {
	own string

	mu       sync.Mutex
	wrong    []string
	expected map[string]bool // substrings of what a test provokes
	answers  []Answer
	requests map[network.RequestID]*network.Request
}

// Answer is an answer that a page got.
type Answer struct {
	Method, URL string
	Status      int
	Header      http.Header
	id          network.RequestID
}

// see is called with each event of the tab, in order.
func (g *guard) see(event any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		g.wrong = append(g.wrong, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			g.wrong = append(g.wrong, fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		// That an answer was not 200 stands there, too; answers are looked at by themselves.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			g.wrong = append(g.wrong, "log: "+e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if g.requests == nil {
			g.requests = map[network.RequestID]*network.Request{}
		}
		g.requests[e.RequestID] = e.Request
		if u := e.Request.URL; !strings.HasPrefix(u, g.own+"/") && !strings.HasPrefix(u, "blob:"+g.own+"/") && u != "about:blank" {
			g.wrong = append(g.wrong, "request to another origin: "+u)
		}
	case *network.EventResponseReceived:
		a := Answer{URL: e.Response.URL, Status: int(e.Response.Status), Header: http.Header{}, id: e.RequestID}
		if sent := g.requests[e.RequestID]; sent != nil {
			a.Method = sent.Method
		}
		for name, value := range e.Response.Headers {
			a.Header.Set(name, fmt.Sprint(value))
		}
		g.answers = append(g.answers, a)
	}
}

// Expect says that the page is going to do something wrong with this text in
// its account, because the test makes it.
func (p *Page) Expect(text string) {
	p.guard.mu.Lock()
	defer p.guard.mu.Unlock()
	p.guard.expected[text] = true
}

// Answers are those that the page got so far.
func (p *Page) Answers() []Answer {
	p.guard.mu.Lock()
	defer p.guard.mu.Unlock()
	return append([]Answer(nil), p.guard.answers...)
}

// Body is the body of an answer, nil where the browser does not have it any
// more, because the page was left.
func (p *Page) Body(a Answer) []byte {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	got, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: a.id})
	if err != nil {
		return nil
	}
	return got.Body
}

func (g *guard) check(t testing.TB) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, wrong := range g.wrong {
		meant := false
		for text := range g.expected {
			meant = meant || strings.Contains(wrong, text)
		}
		if !meant {
			require.Fail(t, "a page did what none may do", wrong)
		}
	}
}
