// SPDX-License-Identifier: Apache-2.0

package completion

import (
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Added is the channel of store.Backlog.Added. It holds one value.
type Added chan struct{}

// NewAdded returns a channel without a value.
func NewAdded() Added { return make(Added, 1) }

// Tell puts a value into the channel, unless it has one, where something of a batch is
// pending and due at now, and reports whether something is. It does not wait.
func (a Added) Tell(b *store.Batch, now time.Time) bool {
	isDue := func(v eval.Evaluation) bool { return v.Status == eval.Deferred && v.Due <= now.UnixNano() }
	if !slices.ContainsFunc(b.Records, func(r store.Record) bool { return slices.ContainsFunc(r.Evaluations, isDue) }) &&
		!slices.ContainsFunc(b.Evaluations, func(e store.Evaluated) bool { return slices.ContainsFunc(e.Evaluations, isDue) }) {
		return false
	}
	a.Wake()
	return true
}

// Wake puts a value into the channel, unless it has one.
func (a Added) Wake() {
	select {
	case a <- struct{}{}:
	default:
	}
}
