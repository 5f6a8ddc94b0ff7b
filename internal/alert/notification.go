// SPDX-License-Identifier: Apache-2.0

package alert

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Change is a group of a rule whose status changed, with what the status rests on.
type Change struct {
	Keys   []string `json:"keys"`
	Status Status   `json:"status"`
	Before Status   `json:"before"`
	// Value is that of the window, nil where there is none, and Bound what it is compared
	// with. Low and High are the 95 % interval of a mean.
	Value *float64 `json:"value,omitempty"`
	Bound *float64 `json:"bound,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	// Traces is how many traces the window has, and Effective how many of one weight would
	// tell as much.
	Traces    int64   `json:"traces"`
	Effective float64 `json:"effective"`
	// Coverage is the share of evaluations that are done, of those that are done, pending
	// or failed; nil where there are none.
	Coverage *float64 `json:"coverage,omitempty"`
}

// Delivery is what became of a notification at one target.
type Delivery struct {
	Target   string    `json:"target"`
	Attempts int64     `json:"attempts"`
	SentAt   time.Time `json:"sent_at,omitzero"`
	// NextAttempt is when it is tried again; zero where it is sent or given up.
	NextAttempt time.Time `json:"next_attempt,omitzero"`
	Error       string    `json:"error,omitempty"`
}

// Open reports whether it is to be tried again.
func (d *Delivery) Open() bool { return !d.NextAttempt.IsZero() }

// Notification is one message: all groups of a rule whose status changed in a minute.
type Notification struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	RuleID        string               `json:"rule_id"`
	// At is the end of the minute.
	At      time.Time `json:"at"`
	Changes []Change  `json:"changes"`
	// Silenced says that it is not sent.
	Silenced bool `json:"silenced,omitempty"`
	// Test says that it only shows how groups are.
	Test       bool       `json:"test,omitempty"`
	Deliveries []Delivery `json:"deliveries,omitempty"`

	// Owner is the process that sends it, which no other takes over before LeasedUntil.
	Owner       string    `json:"owner,omitempty"`
	LeasedUntil time.Time `json:"leased_until,omitzero"`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
}

// Open reports whether any delivery is to be tried again.
func (n *Notification) Open() bool {
	for i := range n.Deliveries {
		if n.Deliveries[i].Open() {
			return true
		}
	}
	return false
}
