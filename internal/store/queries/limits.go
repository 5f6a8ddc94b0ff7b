// SPDX-License-Identifier: Apache-2.0

package queries

import "time"

// Limits bound what callers may ask of an engine. A bound that is 0 is none,
// unless it says otherwise.
type Limits struct {
	// Timeout is how long a query may take once it runs.
	Timeout time.Duration
	// Search is how long a search that goes through much in parts looks on, waiting
	// included; at least one part is looked at.
	Search time.Duration
	// Spans is how many one query may look at, and Bytes how much it may read,
	// both as estimated before it runs. A search in parts ends there; others are refused.
	Spans, Bytes int64
	// Expensive is from how many bytes on a query is expensive.
	Expensive int64
	// PerSecond is how many bytes a second the queries of one environment read that are
	// not expensive while another environment is there; who would read more waits.
	PerSecond int64
	// Shared says that other processes ask the same engine, so that it is unknown whether
	// another environment is there: it is taken for granted.
	Shared bool
	// AtOnce is how many queries of one environment run that are not expensive, at
	// least one. Of expensive ones one does.
	AtOnce int
	// ExpensiveAtOnce is how many expensive queries of all environments run, at
	// least one.
	ExpensiveAtOnce int
	// Waiting is how many queries of one environment wait for others of it, of
	// either kind, and Wait how long each does.
	Waiting int
	Wait    time.Duration
}

// Kind says which queries one waits for.
type Kind int

// The kinds of queries.
const (
	Cheap Kind = iota
	Expensive
	kinds
)

// String returns the kind as metrics have it.
func (k Kind) String() string { return [...]string{"cheap", "expensive"}[k] }

// Reason says why a query was refused or given up.
type Reason int

// The reasons.
const (
	OverPrice    Reason = iota // it would look at too much
	OverPlaces                 // too many others wait, or it waited too long
	OverDeadline               // it took too long
	reasons
)

// String returns the reason as metrics have it.
func (r Reason) String() string { return [...]string{"price", "concurrency", "deadline"}[r] }

// Stats are what queries came to.
type Stats struct {
	Running, Waiting [kinds]int64 // now
	Refused          [reasons]int64
	Partial          int64 // searches that ended at a bound
}
