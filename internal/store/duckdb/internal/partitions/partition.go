// SPDX-License-Identifier: Apache-2.0

// Package partitions keeps the partitions of a store: one file of DuckDB for what
// arrived in a period, for one class of retention. It knows what is in each without
// looking, which of their files are attached, and how files are made, led to the
// latest format, summarised, copied and removed; and it has the connections that
// use them.
package partitions

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Partition is one file. It is attached only while it takes in spans or a caller
// uses it, and for some time after that.
type Partition struct {
	label.Label
	Path string // of the file

	// Dictionaries are of the writer alone, as are next and codes.
	Dictionaries *tables.Dictionaries
	next         int64 // seq of the next span
	codes        int32 // the code of the next environment

	appended atomic.Int64 // rows since the file was attached
	commits  atomic.Int64 // grows with every commit, before its writer's turn ends
	copies   atomic.Int64 // how often a copy took the place of its file

	mu     sync.Mutex
	envs   map[tenant.EnvironmentID]Bounds
	latest int64         // no evaluation has a later time
	owed   int64         // evaluations that are deferred
	users  int           // calls that must find it there
	closed bool          // no longer to be used
	idle   chan struct{} // closed when it is closed and has no users

	pins     int  // who uses its file just now
	writers  int  // who of them writes
	attached bool // its file
	// learned is whether the partition knows what its file has.
	learned bool
	// summarized is whether its summary is on disk and says what is known.
	summarized bool
	unhealed   bool // it has notes of replaced rows that a crash left
	indexed    bool // it has an index: see package index
	// opened is the file that is attached, and asClosed what it was when it was
	// closed last, the zero identity if that is not known.
	opened   os.FileInfo
	asClosed identity
	// shut is closed when who wants to pin the partition can again, and drained
	// when none has; nil unless a call wants it exclusively.
	shut, drained chan struct{}

	opening sync.Mutex // held while its file is attached
	// writing is held by the caller that commits to it, from the beginning of the
	// transaction until what was committed is known.
	writing sync.Mutex
	notes   *notes // under writing; nil while no index is made
}

// New returns a partition of the store in dir of which nothing is known. Its file
// need not be there.
func New(dir string, l label.Label) *Partition {
	return &Partition{
		Label: l,
		Path:  filepath.Join(dir, instance.PartitionDir, l.String()+label.File),
		envs:  map[tenant.EnvironmentID]Bounds{},
		idle:  make(chan struct{}),

		Dictionaries: tables.NewDictionaries(tables.Numbering{}),
	}
}

// Use returns what is known of env, and keeps the partition until Release. It
// does neither if the partition has nothing of env, or is going away.
func (p *Partition) Use(env tenant.EnvironmentID) (Bounds, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, found := p.envs[env]
	if !found || p.closed {
		return Bounds{}, false
	}
	p.users++
	return b, true
}

// Hold keeps the partition until Release, and reports whether it does: not if the
// partition is going away.
func (p *Partition) Hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.users++
	return true
}

// Release ends one Use or Hold.
func (p *Partition) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.closed {
		close(p.idle)
	}
}

// Retire ends all use of the partition. When the channel of Unused is
// closed, no one does.
func (p *Partition) Retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	if p.users == 0 {
		close(p.idle)
	}
}

// BoundsOf returns what is known of env.
func (p *Partition) BoundsOf(env tenant.EnvironmentID) (Bounds, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, found := p.envs[env]
	return b, found
}

// Ended reports whether the last of the partition's rows is past its retention.
// A start that lies after the arrival is a clock's fault and does not make a
// span live longer than an hour more.
func (p *Partition) Ended(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest := p.Until().Add(time.Hour).UnixNano()
	for _, b := range p.envs {
		if After(min(b.Max, latest), b.Retention) >= now.UnixNano() {
			return false
		}
	}
	return true
}

// Unused returns a channel that is closed when the partition is retired and no one
// uses it any more.
func (p *Partition) Unused() <-chan struct{} { return p.idle }
