// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

var errBroken = errors.New("broken by the test")

// breaker makes the statement with a certain number fail, before it is executed
// or as if it had failed although it was.
type breaker struct {
	armed atomic.Bool
	after bool
	at    int64
	count atomic.Int64
	broke atomic.Bool
}

// next counts a statement and reports whether it is the one.
func (b *breaker) next() bool {
	if !b.armed.Load() {
		return false
	}
	if b.count.Add(1)-1 != b.at {
		return false
	}
	b.broke.Store(true)
	return true
}

func (b *breaker) faults() instance.Faults {
	var now bool // of the one writer
	return instance.Faults{
		Pool: b.connector,
		Writer: func(_ string, done bool) error {
			if !done {
				now = b.next()
			}
			if now && done == b.after {
				now = false
				return errBroken
			}
			return nil
		},
	}
}

// connector has the breaker break statements.
func (b *breaker) connector(c driver.Connector) driver.Connector {
	return hooked{
		Connector: c,
		exec: func(_ string, execute func() (driver.Result, error)) (driver.Result, error) {
			breaks := b.next()
			if breaks && !b.after {
				return nil, errBroken
			}
			result, err := execute()
			if breaks && err == nil {
				return nil, errBroken
			}
			return result, err
		},
		rows: func(execute func() (driver.Rows, error)) (driver.Rows, error) {
			breaks := b.next()
			if breaks && !b.after {
				return nil, errBroken
			}
			rows, err := execute()
			if breaks && err == nil {
				return nil, errors.Join(errBroken, rows.Close())
			}
			return rows, err
		},
	}
}

// TestABrokenStatementBreaksOnlyItsCall breaks every statement that a number of
// calls make, one after the other. The call may fail; whatever is called after
// it works, on every connection.
func TestABrokenStatementBreaksOnlyItsCall(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(*testing.T, *brokenStore) error{
		"write":      func(t *testing.T, s *brokenStore) error { return s.write(t, 10) },
		"replace":    func(t *testing.T, s *brokenStore) error { return s.replace(t) },
		"message":    func(t *testing.T, s *brokenStore) error { return s.message(t) },
		"find":       func(t *testing.T, s *brokenStore) error { return s.find(t) },
		"lease":      func(t *testing.T, s *brokenStore) error { return completeDue(t.Context(), s.owed) },
		"expire":     func(t *testing.T, s *brokenStore) error { return s.db.Expire(t.Context(), s.clock.now()) },
		"compaction": func(t *testing.T, s *brokenStore) error { return s.write(t, 800) },
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				t.Parallel()
				for at := int64(0); ; at++ {
					s := newBrokenStore(t, &breaker{at: at, after: after})
					s.breaker.armed.Store(true)
					err := work(t, s)
					s.db.awaitIdle(t)
					s.breaker.armed.Store(false)
					if !s.breaker.broke.Load() {
						require.NoError(t, err)
						require.NoError(t, s.db.Close())
						return
					}
					s.check(t)
					require.NoError(t, s.db.Close())
				}
			})
		}
	}
}

// brokenStore is a store with spans in two partitions and pending evaluations.
type brokenStore struct {
	db      *DB
	owed    owedIn
	clock   *clock
	breaker *breaker
	next    int // number of the next span
	least   int // spans that are stored for certain
}

func newBrokenStore(t *testing.T, b *breaker) *brokenStore {
	t.Helper()
	s := &brokenStore{clock: newClock(), breaker: b}
	s.db = open(t, Config{
		Dir: t.TempDir(), Now: s.clock.now, PartitionRows: 40, CheckpointBytes: 64 << 10, reattachBytes: 1, faults: b.faults(),
		fileIdle: time.Hour, // for no statement of that to be among those that break
	})
	s.owed = backlogOf(t, s.db)
	for range 3 {
		require.NoError(t, s.write(t, 20))
	}
	s.db.awaitIdle(t)
	return s
}

func (s *brokenStore) write(t *testing.T, n int) error {
	t.Helper()
	env := testEnv("prd", 24*time.Hour)
	var batch []store.Record
	for i := range n {
		batch = append(batch, owing(env, s.next+i, s.clock.now(), s.clock.now()))
	}
	s.next += n
	err := storetest.Write(t.Context(), s.owed, batch)
	if err == nil {
		s.least += n
	}
	return err
}

// replace sends a span of the first partition again with another content.
func (s *brokenStore) replace(t *testing.T) error {
	t.Helper()
	x := owing(testEnv("prd", 24*time.Hour), 1, s.clock.now(), s.clock.now())
	x.Span.Name = "changed"
	return storetest.Write(t.Context(), s.owed, []store.Record{x})
}

func (s *brokenStore) message(t *testing.T) error {
	t.Helper()
	k := keyOf(2)
	return storetest.WriteMessages(t.Context(), s.db, []store.Messages{{
		Environment: testEnv("prd", 24*time.Hour), TraceID: k.TraceID, SpanID: k.SpanID, Time: s.clock.now().UnixNano(),
		Prompts: span.Attributes{{Key: "llm.prompts.0.content", Value: "hello"}},
	}})
}

func (s *brokenStore) find(t *testing.T) error {
	t.Helper()
	q := query.Query{From: 0, To: 1<<63 - 1, Limit: 10, Order: query.Order{By: query.SortTraceID}}
	_, err := s.db.Search(t.Context(), testEnv("prd", 24*time.Hour), q)
	return err
}

// check expects that everything works, as often as there are connections.
func (s *brokenStore) check(t *testing.T) {
	t.Helper()
	require.NoError(t, s.write(t, 5))
	env := testEnv("prd", 24*time.Hour)
	results := make(chan error)
	for range connections {
		go func() {
			n, err := s.db.countFor(t.Context(), env)
			if err == nil && n < s.least {
				err = fmt.Errorf("found %d of %d", n, s.least)
			}
			results <- err
		}()
	}
	for range connections {
		require.NoError(t, <-results)
	}
	require.NoError(t, completeDue(t.Context(), s.owed))
	require.NoError(t, s.db.Expire(t.Context(), s.clock.now()))
	require.NoError(t, s.message(t))
}
