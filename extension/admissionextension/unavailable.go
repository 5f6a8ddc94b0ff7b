// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"net/http"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// An HTTP server of the Collector answers 401 to every caller that its authenticator refuses, and
// closes the connection while the client still sends, which then reads no answer; where it
// cannot learn at the moment who calls, clients drop what they sent. The authenticator therefore
// lets the request pass as refused, and the middleware of the same server answers.

// wrapped are the servers of which it is known whether the middleware comes to refuse
// their requests: it has seen one, or one of ours did not reach it.
type wrapped struct {
	servers sync.Map   // *http.Server to bool
	asking  sync.Mutex // one at a time
}

type askingKey struct{}

// isAsking reports whether a request is one of ours, which the middleware only notes.
func isAsking(ctx context.Context) bool { return ctx.Value(askingKey{}) != nil }

func (w *wrapped) note(ctx context.Context) {
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		if known, _ := w.servers.Load(server); known != true {
			w.servers.Store(server, true)
		}
	}
}

// knows reports whether the middleware comes to refuse a request. The handler of a server
// that was not heard of is asked for a path that is nowhere.
func (w *wrapped) knows(ctx context.Context) bool {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return false
	}
	known, ok := w.servers.Load(server)
	if !ok {
		w.asking.Lock()
		defer w.asking.Unlock()
		if known, ok = w.servers.Load(server); !ok {
			known = w.ask(ctx, server)
		}
	}
	return known == true
}

// ask reports whether a request of ours reaches the middleware.
func (w *wrapped) ask(ctx context.Context, server *http.Server) bool {
	ctx = context.WithValue(context.WithoutCancel(ctx), askingKey{}, true)
	if r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody); err == nil {
		server.Handler.ServeHTTP(nowhere{}, r)
	}
	known, _ := w.servers.LoadOrStore(server, false)
	return known == true
}

// nowhere is where answers to requests of ours go.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) WriteHeader(int)             {}

type refusedKey struct{}

// pass returns the context of a request that the middleware is to refuse with an
// error, and whether it will.
func (w *wrapped) pass(ctx context.Context, err error) (context.Context, bool) {
	if !w.knows(ctx) {
		return ctx, false
	}
	if !fault.Is(err, fault.Unavailable) {
		err = fault.Wrap(fault.Unauthorized, err, "Unauthorized")
	}
	return context.WithValue(ctx, refusedKey{}, err), true
}

// refusedOf returns why the middleware is to refuse a request, nil if it is not.
func refusedOf(ctx context.Context) error {
	err, _ := ctx.Value(refusedKey{}).(error)
	return err
}
