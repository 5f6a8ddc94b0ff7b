// SPDX-License-Identifier: Apache-2.0

package store

import (
	"iter"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Sharing is an extension that knows what this process shares with others.
type Sharing interface {
	// Paces is what processes hold to together; nil where none share the control store.
	Paces() pace.Shared
	// Process returns what leases in the control store call this process. Where it alone
	// can have the spans open that is the same whenever it starts: it goes on at once
	// with what it had. Otherwise it is another for each process.
	Process() string
}

// Live is the setups that a process judges by, in memory.
type Live interface {
	// Setups returns the setups of an environment, oldest first, which no caller may
	// change. It is the very same slice until one of them changes.
	Setups(env tenant.EnvironmentID) []monitor.Setup
	// All returns the setups of all environments.
	All() iter.Seq[*monitor.Setup]
}

// LiveProvider is an extension that provides setups alone, and nothing to write how far
// they got to.
type LiveProvider interface {
	Live() Live
}

// HashKeys is the role of a Live that knows, without a control store, what key an
// environment's texts are hashed with; nil where none is known.
type HashKeys interface {
	HashKey(env tenant.EnvironmentID) []byte
}

// Provider is an extension that provides an opened span store. The control store
// is provided by a cache.Provider.
type Provider interface {
	// Engine is the span store. Who writes to it writes through it, so that the
	// backlog knows the pending evaluations.
	Engine() Engine
	// Backlog has the pending evaluations in the span store.
	Backlog() Backlog
}
