// SPDX-License-Identifier: Apache-2.0

package store

// Problem is what keeps a store from its work.
type Problem struct {
	// Name says what does not work: spans_write or control_read.
	Name string `json:"name"`
	// Message is for everybody: it holds no path and nothing of a user's.
	Message string `json:"message"`
}

// The names of problems.
const (
	ProblemWrite   = "spans_write"
	ProblemControl = "control_read"
)

// Health tells how the stores are, from memory.
type Health interface {
	// Problems are those of the last look, none if all is well. The slice must
	// not be changed.
	Problems() []Problem
}
