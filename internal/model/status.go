// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// Status is how a model does, with what it did since the process began.
type Status struct {
	// Name is that of the configuration, such as judges/default.
	Name string
	// Open says that requests are stopped because the model failed repeatedly.
	Open bool
	// Requests are those that were sent, and Took how long they took together.
	Requests int64
	Took     time.Duration
	// Errors are calls that gave nothing usable, LastReason and LastError why and
	// when the last one did; "" and the zero time where none was.
	Errors     int64
	LastReason Reason
	LastError  time.Time

	PromptTokens, CompletionTokens int64
	Cost                           float64 // US dollars
}

// Reporter tells how models do, in the order of the configuration.
type Reporter interface {
	Status() []Status
}
