// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"
)

// Damage is the error of a file of the store that cannot be used as it is.
type Damage struct {
	// Path is that of the file: of a partition, or of what DuckDB itself needs.
	Path  string
	Cause error
}

// Error says which file it is, and why.
func (d *Damage) Error() string { return d.Path + " is damaged: " + d.Cause.Error() }

// Unwrap returns the cause.
func (d *Damage) Unwrap() error { return d.Cause }

// damageTexts are what errors of DuckDB say of files whose bytes are not those that
// were written, that end too early or that cannot be read. Its checksums of
// headers, blocks and entries of logs find what has changed: see
// https://duckdb.org/docs/stable/internals/storage. A file of another version of the
// storage is not among them.
var damageTexts = []string{
	"Corrupt", "corrupt",
	"is not a valid DuckDB database file",
	"Could not read enough bytes from file",
	"Could not read from file",
	"Failure while replaying",
}

// inMemory says that what DuckDB has of a file in memory is not what it wrote, as it can
// be after a commit that ran out of memory. The file and its log are sound: both are read
// again when it is opened again.
const inMemory = "Corrupted in-memory"

// unreadableTexts say that a file could not even be opened.
var unreadableTexts = []string{"Permission denied", "No such file", "Is a directory", "Input/output error"}

// IsDamage reports whether an error of DuckDB says that the file it was about is
// damaged. Want of memory, of space or of file descriptors never does, and neither
// do errors that can have text of users in them.
func IsDamage(err error) bool {
	if err == nil || OutOfMemory(err) {
		return false
	}
	kind, text := kindOf(err)
	switch {
	case kind == serializationError:
		return true
	case kind != ioError:
		return false
	case strings.Contains(text, inMemory):
		return false
	case strings.Contains(text, "Cannot open file"):
		return containsAny(text, unreadableTexts)
	}
	return containsAny(text, damageTexts)
}

// isUnusable reports the same of an error that comes from opening a file, where
// only statements of ours are executed: tables that it should have may be missing,
// and DuckDB may stumble over what it reads.
func isUnusable(err error) bool {
	if IsDamage(err) {
		return true
	}
	if err == nil || OutOfMemory(err) {
		return false
	}
	kind, _ := kindOf(err)
	return kind == internalError || kind == catalogError || kind == binderError
}

// How DuckDB begins the texts of its errors, by their kind.
const (
	ioError            = "IO Error"
	serializationError = "Serialization Error"
	internalError      = "INTERNAL Error"
	catalogError       = "Catalog Error"
	binderError        = "Binder Error"
)

// kindOf returns the kind of an error of DuckDB, and what it says.
func kindOf(err error) (kind, text string) {
	var engine *duck.Error
	if errors.As(err, &engine) {
		text = engine.Msg
	} else {
		text = err.Error()
		for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
			text = inner.Error()
		}
	}
	kind, _, _ = strings.Cut(text, ":")
	return kind, text
}

func containsAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// Blame returns an error of DuckDB as the Damage of a file if it says that the file
// is damaged, and unchanged otherwise.
func Blame(path string, err error) error {
	var known *Damage
	if errors.As(err, &known) || !IsDamage(err) {
		return err
	}
	return &Damage{Path: path, Cause: err}
}

// BlameOpening does the same for an error that comes from opening the file.
func BlameOpening(path string, err error) error {
	var known *Damage
	if errors.As(err, &known) || !isUnusable(err) {
		return err
	}
	return &Damage{Path: path, Cause: err}
}

// Damages returns all Damage among the errors that err is made of.
func Damages(err error) []*Damage {
	if d, ok := err.(*Damage); ok { //nolint:errorlint // the tree is walked here
		return []*Damage{d}
	}
	var list []*Damage
	switch x := err.(type) { //nolint:errorlint // the tree is walked here
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			list = append(list, Damages(e)...)
		}
	case interface{ Unwrap() error }:
		list = Damages(x.Unwrap())
	}
	return list
}
