// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"maps"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Facts are what a partition knows of its rows without looking.
type Facts struct {
	Next         int64 // seq of the next span
	Codes        int32 // the code of the next environment
	Numbering    tables.Numbering
	Latest       int64 // no evaluation has a later time
	Owed         int64 // evaluations that are deferred
	Indexed      bool
	Environments map[tenant.EnvironmentID]Bounds
}

// Facts returns what the partition knows, for the caller that has the write turn, or has
// the partition exclusively.
func (p *Partition) Facts() Facts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Facts{
		Next: p.next, Codes: p.codes, Numbering: p.Dictionaries.Numbering(),
		Latest: p.latest, Owed: p.owed, Indexed: p.indexed, Environments: maps.Clone(p.envs),
	}
}

// Environments returns what the partition knows of its environments.
func (p *Partition) Environments() map[tenant.EnvironmentID]Bounds {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.envs)
}

// Change is what a commit changed in what a partition knows.
type Change struct {
	Spans        int64 // that were appended
	Rows         int64 // that were appended to the large tables
	Environments map[tenant.EnvironmentID]Bounds
	Latest       int64 // time of an evaluation
	Owed         int64 // by how many more evaluations are deferred
	// Of spans that were there: those that evaluations were added to, and those that
	// were deleted, by seq.
	Judged, Deleted []int64
}

// Committed makes known what was committed, for the caller that has the write turn and
// has locked the partition.
func (p *Partition) Committed(c Change) {
	p.notes.add(c)
	p.commits.Add(1)
	p.appended.Add(c.Rows)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next += c.Spans
	maps.Copy(p.envs, c.Environments)
	p.latest = max(p.latest, c.Latest)
	p.owed += c.Owed
}

// ShareOf returns what is known of env, and how many spans were appended of all
// environments.
func (p *Partition) ShareOf(env tenant.EnvironmentID) (b Bounds, all int64, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return Bounds{}, 0, false
	}
	b, found = p.envs[env]
	return b, p.next, found
}

// NextSeq returns the seq of the next span, for the caller that has the write turn.
func (p *Partition) NextSeq() int64 { return p.next }

// NewCode returns the code of one more environment, for the caller that has the turn to
// write.
func (p *Partition) NewCode() int32 {
	p.codes++
	return p.codes - 1
}

// SetOwed notes how many evaluations are deferred.
func (p *Partition) SetOwed(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed = n
}

// Environment is what a partition knows of an environment by its code.
type Environment struct {
	ID        tenant.EnvironmentID
	Retention time.Duration
}

// EnvironmentsByCode returns the environments by their codes.
func (p *Partition) EnvironmentsByCode() map[int32]Environment {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make(map[int32]Environment, len(p.envs))
	for id, b := range p.envs {
		list[b.Code] = Environment{ID: id, Retention: b.Retention}
	}
	return list
}

// Owes returns how many evaluations of the partition are deferred.
func (p *Partition) Owes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owed
}

// LastTime returns a time that no evaluation is later than.
func (p *Partition) LastTime() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// Aged returns the codes of the partition's environments, and for each of them when
// the first of its spans may have started, in nanoseconds since 1970; none if no
// span of the partition is past its retention.
func (p *Partition) Aged(now time.Time) (codes []int32, first []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	some := false
	for _, b := range p.envs {
		from := After(now.UnixNano(), -max(b.Retention, 0))
		some = some || b.Min < from
		codes = append(codes, b.Code)
		first = append(first, from)
	}
	if !some {
		return nil, nil
	}
	return codes, first
}

// Changes returns a number that grows with every commit, before its writer's turn
// ends.
func (p *Partition) Changes() int64 { return p.commits.Load() }
