// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// label is what the name of a partition's file says: 0720h-20251121T000000Z-000017.
type label struct {
	class  time.Duration // the longest retention it is for
	opened time.Time     // start of the period of arrival
	serial int64         // counts all partitions of the store
}

const (
	labelTime = "20060102T150405Z"
	labelFile = ".duckdb"
)

func (l label) String() string {
	return fmt.Sprintf("%04dh-%s-%06d", int64(l.class/time.Hour), l.opened.UTC().Format(labelTime), l.serial)
}

// alias is the partition's name in SQL.
func (l label) alias() string { return "p" + strconv.FormatInt(l.serial, 10) }

// until is when the period of arrival ends.
func (l label) until() time.Time { return l.opened.Add(periodOf(l.class)) }

func parseLabel(name string) (label, bool) {
	class, rest, ok1 := strings.Cut(name, "h-")
	at, serial, ok2 := strings.Cut(rest, "-")
	hours, err1 := strconv.ParseInt(class, 10, 32)
	opened, err2 := time.Parse(labelTime, at)
	number, err3 := strconv.ParseInt(serial, 10, 64)
	if !ok1 || !ok2 || err1 != nil || err2 != nil || err3 != nil || hours <= 0 || hours > longestClass || number <= 0 {
		return label{}, false
	}
	return label{class: time.Duration(hours) * time.Hour, opened: opened, serial: number}, true
}

// Classes of retention: environments of one class share partitions, so that
// short-lived spans do not keep their space until long-lived ones end.
const (
	dayClass   = 24 * time.Hour
	weekClass  = 7 * 24 * time.Hour
	monthClass = 30 * 24 * time.Hour

	longestClass = 9999 // hours: what a label has room for
)

func classOf(retention time.Duration) time.Duration {
	switch {
	case retention <= dayClass:
		return dayClass
	case retention <= weekClass:
		return weekClass
	case retention <= monthClass:
		return monthClass
	}
	const longest = longestClass * time.Hour / monthClass * monthClass
	return min((retention+monthClass-1)/monthClass*monthClass, longest)
}

// periodOf returns how long a partition of a class takes in spans: about a
// thirtieth of the retention, which is what is kept too long at worst.
func periodOf(class time.Duration) time.Duration {
	switch {
	case class <= dayClass:
		return time.Hour
	case class <= weekClass:
		return 6 * time.Hour
	}
	return 24 * time.Hour
}

// bounds is what is known of one environment's rows in one partition, without
// looking.
type bounds struct {
	code      int32
	retention time.Duration
	spans     int64
	min, max  int64 // of start, or of happened
	messages  int64
}

func (b *bounds) widen(from, to int64) {
	if b.spans == 0 && b.messages == 0 {
		b.min, b.max = from, to
		return
	}
	b.min, b.max = min(b.min, from), max(b.max, to)
}

// partition is one file. It is attached only while it takes in spans or somebody
// uses it, and for some time after that.
type partition struct {
	label
	path string

	// Of the writer alone.
	next         int64 // seq of the next span
	codes        int32 // environments so far
	dictionaries *tables.Dictionaries

	appended atomic.Int64 // rows since the file was attached
	changes  atomic.Int64 // grows with every commit, before its writer's turn ends

	mu     sync.Mutex
	envs   map[tenant.EnvironmentID]bounds
	latest int64         // no evaluation has a later time
	owed   int64         // evaluations that are deferred
	users  int           // calls that must find it there
	closed bool          // no longer to be used
	idle   chan struct{} // closed when it is closed and has no users

	pins     int  // who uses its file just now
	attached bool // its file
	// summarized is whether its summary is on disk and says what is known.
	summarized bool
	unhealed   bool // it has notes of replaced rows that a crash left
	// shut is closed when who wants to pin the partition can again, and drained
	// when nobody has; nil unless somebody wants it for himself.
	shut, drained chan struct{}

	opening sync.Mutex // held while its file is attached
}

func newPartition(dir string, l label) *partition {
	return &partition{
		label: l,
		path:  filepath.Join(dir, instance.PartitionDir, l.String()+labelFile),
		envs:  map[tenant.EnvironmentID]bounds{},
		idle:  make(chan struct{}),

		dictionaries: tables.NewDictionaries(tables.Numbering{}),
	}
}

// use returns what is known of env, and keeps the partition until release. It
// does neither if the partition has nothing of env, or is going away.
func (p *partition) use(env tenant.EnvironmentID) (bounds, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, found := p.envs[env]
	if !found || p.closed {
		return bounds{}, false
	}
	p.users++
	return b, true
}

// hold keeps the partition until release, unless it is going away.
func (p *partition) hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.users++
	return true
}

func (p *partition) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.closed {
		close(p.idle)
	}
}

// retire lets nobody use the partition any more. When idle is closed, nobody
// does.
func (p *partition) retire() {
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

// bound returns what is known of env.
func (p *partition) bound(env tenant.EnvironmentID) (bounds, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, found := p.envs[env]
	return b, found
}

// ended reports whether the last of the partition's rows is past its retention.
// A start that lies after the arrival is a clock's fault and does not make a
// span live longer than an hour more.
func (p *partition) ended(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest := p.until().Add(time.Hour).UnixNano()
	for _, b := range p.envs {
		if after(min(b.max, latest), b.retention) >= now.UnixNano() {
			return false
		}
	}
	return true
}
