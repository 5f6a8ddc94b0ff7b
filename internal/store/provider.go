// SPDX-License-Identifier: Apache-2.0

package store

// Provider is an extension that lends an opened span store. The control store
// is lent by a cache.Provider.
type Provider interface {
	// Spans is the span store.
	Spans() Spans
}
