// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"net/http"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// An HTTP server of the Collector answers 401 to whoever its authenticator refuses, and
// clients drop what they sent. Where it cannot be told just now who calls, the
// authenticator therefore lets the request pass as refused, and the middleware of
// the same server answers 503.

// wrapped are the servers whose requests the middleware has seen: of those alone it is
// sure that it comes to refuse.
type wrapped struct{ servers sync.Map } // *http.Server, as keys

func (w *wrapped) note(ctx context.Context) {
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		if _, known := w.servers.Load(server); !known {
			w.servers.Store(server, nil)
		}
	}
}

func (w *wrapped) knows(ctx context.Context) bool {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if ok {
		_, ok = w.servers.Load(server)
	}
	return ok
}

type refusedKey struct{}

// pass returns the context of a request that the middleware is to refuse with an
// error, and whether it will.
func (w *wrapped) pass(ctx context.Context, err error) (context.Context, bool) {
	if !fault.Is(err, fault.Unavailable) || !w.knows(ctx) {
		return ctx, false
	}
	return context.WithValue(ctx, refusedKey{}, err), true
}

// refusedOf returns why the middleware is to refuse a request, nil if it is not.
func refusedOf(ctx context.Context) error {
	err, _ := ctx.Value(refusedKey{}).(error)
	return err
}
