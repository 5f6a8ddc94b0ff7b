// SPDX-License-Identifier: Apache-2.0

package store

// Intake is what a process wrote since it began.
type Intake struct {
	Spans       int64
	Evaluations int64
	// Refused are spans of writes that failed, which senders try again.
	Refused int64
}

// Space is what spans take of the disk that they are kept on.
type Space struct {
	Files int64
	Bytes int64
	Free  int64 // bytes that are left
}

// Activity tells what a store takes in and how much room it has.
type Activity interface {
	// Intake returns what was written through this process since it began.
	Intake() Intake
	// Space returns what spans take on a disk of this machine; nil where they are
	// kept elsewhere.
	Space() (*Space, error)
}
