// SPDX-License-Identifier: Apache-2.0

package store

// Provider is an extension that provides an opened span store. The control store
// is provided by a cache.Provider.
type Provider interface {
	// Engine is the span store. Who writes to it writes through it, so that the
	// backlog knows what is owed.
	Engine() Engine
	// Backlog is what is owed in the span store.
	Backlog() Backlog
}
