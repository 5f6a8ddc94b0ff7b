// SPDX-License-Identifier: Apache-2.0

package tenant

import "github.com/touchstone-otel/touchstone/internal/fault"

// Scope is what the holder of a key may do in its environment. A scope that is
// none of those below, the empty one included, may do nothing.
type Scope string

// The scopes of keys. Sidecar is that of collectors that run as sidecars of applications, whose
// verdicts are kept once they are checked.
const (
	Full    Scope = "full"
	Ingest  Scope = "ingest"
	Read    Scope = "read"
	Sidecar Scope = "sidecar"
)

// Access is what a request is about to do.
type Access string

// The kinds of access: sending telemetry, what SDKs that send it ask by themselves with
// the same key, reading the setups that a sidecar works with, reading what is stored,
// and everything else, such as changing a setup or having an
// evaluator run.
const (
	Ingesting    Access = "ingesting"
	Accompanying Access = "accompanying"
	Following    Access = "following"
	Reading      Access = "reading"
	Writing      Access = "writing"
)

// Allows reports whether a key of the scope may be used for that.
func (s Scope) Allows(a Access) bool {
	switch s {
	case Full:
		return true
	case Ingest:
		return a == Ingesting || a == Accompanying
	case Read:
		return a == Reading || a == Following || a == Accompanying
	case Sidecar:
		return a == Ingesting || a == Following || a == Accompanying
	}
	return false
}

// Check returns nil where Allows is true, and else a fault of kind Forbidden
// that names the scope.
func (s Scope) Check(a Access) error {
	if s.Allows(a) {
		return nil
	}
	switch s {
	case Ingest:
		return fault.New(fault.Forbidden, "Not allowed: the scope of this key is ingest, which only sends telemetry")
	case Read:
		return fault.New(fault.Forbidden, "Not allowed: the scope of this key is read, which only reads what is stored")
	case Sidecar:
		return fault.New(fault.Forbidden, "Not allowed: the scope of this key is sidecar, which only sends telemetry and reads the setups that a sidecar works with")
	case Full:
	}
	return fault.New(fault.Forbidden, "Not allowed: the scope of this key is unknown to this release")
}

// CheckNew returns nil if a new key may have the scope, and else a fault of
// kind Invalid.
func (s Scope) CheckNew() error {
	switch s {
	case Full, Ingest, Read, Sidecar:
		return nil
	}
	return fault.New(fault.Invalid, "scope must be one of full, ingest, read, sidecar")
}
