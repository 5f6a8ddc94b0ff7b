// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"

	"google.golang.org/grpc/stats"
)

// connection is the context of a gRPC connection. Of a call that the tap
// refuses grpc-go forgets to cancel the context, whose timer and headers then
// stay for as long as the caller asked for: a call's deadline may be ten
// thousand years away. And it has no way to cancel a call from outside. A
// context whose parent has AfterFunc tells it how it is cancelled.
// https://pkg.go.dev/context#AfterFunc
type connection struct {
	context.Context
	never  chan struct{}
	cancel func() // of the call that came last; the connection's reader alone uses it
}

func newConnection(ctx context.Context) *connection {
	return &connection{Context: ctx, never: make(chan struct{})}
}

// AfterFunc keeps f, which cancels the context of a new call.
func (c *connection) AfterFunc(f func()) (stop func() bool) {
	c.cancel = f
	return func() bool { return true }
}

// Done is never closed, and not nil, so that contexts of calls ask further.
func (c *connection) Done() <-chan struct{} { return c.never }

// Err is what calls are cancelled with. No one asks a context that is not done.
func (c *connection) Err() error { return context.Canceled }

type connectionKey struct{}

// Value finds the connection from a call's context.
func (c *connection) Value(key any) any {
	if key == (connectionKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// cancelOf returns what cancels ctx, the context of the call that came last on
// its connection.
func cancelOf(ctx context.Context) func() {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok || c.cancel == nil {
		return func() {}
	}
	cancel := c.cancel
	c.cancel = nil
	return cancel
}

// connections gives connections their contexts.
type connections struct{}

func (connections) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return newConnection(ctx)
}
func (connections) HandleConn(context.Context, stats.ConnStats)                     {}
func (connections) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
func (connections) HandleRPC(context.Context, stats.RPCStats)                       {}
