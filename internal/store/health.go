// SPDX-License-Identifier: Apache-2.0

package store

// Problem is what keeps a store from its work, or what of it is missing.
type Problem struct {
	// Name says what does not work: spans_write, control_read or spans_damaged.
	Name string `json:"name"`
	// Message is for everybody: it holds no path and nothing of a user's.
	Message string `json:"message"`
}

// The names of problems.
const (
	ProblemWrite   = "spans_write"
	ProblemControl = "control_read"
	ProblemDamage  = "spans_damaged"
)

// Stops reports whether spans or setups cannot be stored because of the problem.
// Otherwise something is missing, and all else goes on.
func (p Problem) Stops() bool { return p.Name != ProblemDamage }

// Health tells how the stores are, from memory.
type Health interface {
	// Problems are those of the last look, none if all is well. The slice must
	// not be changed.
	Problems() []Problem
}
