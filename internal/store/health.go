// SPDX-License-Identifier: Apache-2.0

package store

// Problem is what keeps a store from its work, what of it is missing, or which
// background work does not go on.
type Problem struct {
	Name    string `json:"name" doc:"What it is, for programs."`
	Message string `json:"message" doc:"What it is, for people."`
}

// The names of problems.
const (
	ProblemWrite   = "spans_write"
	ProblemControl = "control_read"
	ProblemDamage  = "spans_damaged"
	ProblemStuck   = "evaluators_stuck"
	ProblemModels  = "models_lacking"
)

// Stops reports whether spans or setups cannot be stored because of the problem.
// Otherwise something is missing or late, and all else goes on.
func (p Problem) Stops() bool { return p.Name == ProblemWrite || p.Name == ProblemControl }

// Health tells how the stores are, from memory.
type Health interface {
	// Problems are what the last look found, none if all is well. The slice must
	// not be changed.
	Problems() []Problem
}

// HealthSources is an extension with the Health that others of the process add to.
type HealthSources interface {
	// AskHealth has the problems of a component asked for at each look, until forget is
	// called. They keep nothing from being stored, and the answer comes from memory.
	AskHealth(problems func() []Problem) (forget func())
}
