// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func errClosed() error { return fault.New(fault.Unavailable, "the span store is closed") }

// invalidated reports whether the engine refuses all further work until it is
// opened again, which it does after a failed write of its files.
func invalidated(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "database has been invalidated") ||
		strings.HasPrefix(err.Error(), "FATAL Error"))
}

// outOfMemory reports whether the engine had no memory left for what it was
// asked. It may have it when others are done.
func outOfMemory(err error) bool {
	if err == nil || invalidated(err) {
		return false
	}
	var engine *duck.Error
	text := err.Error()
	return errors.As(err, &engine) && engine.Type == duck.ErrorTypeOutOfMemory ||
		strings.Contains(text, "Out of Memory Error") ||
		strings.Contains(text, "failed to pin block") ||
		strings.Contains(text, "could not allocate block")
}

// busy reports whether a checkpoint could not begin because of another one, or
// of somebody who writes.
func busy(err error) bool { return err != nil && strings.Contains(err.Error(), "Cannot CHECKPOINT") }

// classify returns an error of the engine its kind. Doing says what was tried.
func classify(dir, doing string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "Could not set lock on file"):
		return inUse(dir, err)
	case outOfMemory(err):
		return fault.Wrap(fault.Unavailable, err, "%s: the memory of the store is full", doing)
	case invalidated(err),
		strings.Contains(text, "No space left on device"),
		strings.Contains(text, "Could not write"),
		strings.Contains(text, "Disk quota exceeded"),
		strings.Contains(text, "File too large"):
		return fault.Wrap(fault.Unavailable, err, "%s: the disk or the memory of the store is full", doing)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
