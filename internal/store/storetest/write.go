// SPDX-License-Identifier: Apache-2.0

// Package storetest makes what the tests of stores are about: spans, evaluations,
// organizations, setups. The contracts that every store passes are below it:
// enginetest, backlogtest and controltest.
package storetest

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Writer is the part of an engine that takes in spans.
type Writer interface {
	Write(ctx context.Context, b store.Batch) (store.Written, error)
}

// Write stores records, for tests that do not ask what came of them.
func Write(ctx context.Context, w Writer, records []store.Record) error {
	_, err := w.Write(ctx, store.Batch{Records: records})
	return err
}

// WriteMessages stores messages likewise.
func WriteMessages(ctx context.Context, w Writer, messages []store.Messages) error {
	_, err := w.Write(ctx, store.Batch{Messages: messages})
	return err
}
