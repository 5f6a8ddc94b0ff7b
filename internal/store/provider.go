// SPDX-License-Identifier: Apache-2.0

package store

// Provider is an extension that lends opened stores.
type Provider interface {
	// Spans is the span store.
	Spans() Spans
	// Live is the control store behind its in-memory view.
	Live() *Live
}
