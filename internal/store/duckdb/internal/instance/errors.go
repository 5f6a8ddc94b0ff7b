// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Invalidated reports whether an error says that DuckDB refuses all further work until it is
// opened again, which it does after a failed write of its files.
func Invalidated(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "database has been invalidated") ||
		strings.HasPrefix(err.Error(), "FATAL Error"))
}

// OutOfMemory reports whether an error says that DuckDB had no memory left for what
// it was asked. It may have it when others are done.
func OutOfMemory(err error) bool {
	if err == nil || Invalidated(err) {
		return false
	}
	var engine *duck.Error
	return errors.As(err, &engine) && engine.Type == duck.ErrorTypeOutOfMemory ||
		containsAny(err.Error(), memoryTexts)
}

// memoryTexts are what DuckDB says where it has no memory left, also as the reason of
// another error.
var memoryTexts = []string{"Out of Memory Error", "failed to pin block", "could not allocate block", "failed to allocate data"}

// Busy reports whether an error says that a checkpoint could not begin because of
// another one, or of a writer: see
// https://duckdb.org/docs/stable/sql/statements/checkpoint.
func Busy(err error) bool { return err != nil && strings.Contains(err.Error(), "Cannot CHECKPOINT") }

// Classify returns an error of DuckDB as a fault of its kind: Unavailable where
// another process has the store in dir open, or where memory or disk are full.
// Doing says what was tried. What is a fault already, or the context's error, is
// returned as it is.
func Classify(dir, doing string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	var damaged *Damage
	switch {
	case errors.As(err, &damaged), IsDamage(err):
		return fault.Wrap(fault.Unavailable, err, "%s: a file of the span store is damaged and is being moved away: ask again", doing)
	case strings.Contains(text, "Could not set lock on file"):
		return inUse(dir, err)
	case OutOfMemory(err):
		return fault.Wrap(fault.Unavailable, err, "%s: the memory of the store is full", doing)
	case strings.Contains(text, "Read-only file system"), errors.Is(err, syscall.EROFS):
		return fault.Wrap(fault.Unavailable, err, "%s: the disk is read-only", doing)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fault.Wrap(fault.Unavailable, err, "%s: the disk of the store is full", doing)
	case Invalidated(err),
		strings.Contains(text, "No space left on device"),
		strings.Contains(text, "Could not write"),
		strings.Contains(text, "Disk quota exceeded"),
		strings.Contains(text, "File too large"):
		return fault.Wrap(fault.Unavailable, err, "%s: the disk or the memory of the store is full", doing)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// inUse returns the error of a directory that another process has open.
func inUse(dir string, cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "span store %s is in use by another process", dir)
}
