// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/enginetest"
)

// crashing are processes over one database, each with a line to it on which statements
// meet their fates.
type crashing struct {
	dsn   string
	fates map[clickhousetest.Fate]int // of a hundred inserts

	mu    sync.Mutex
	lines []*clickhousetest.Between
	admin *DB
}

// mortal is a process that may be killed.
type mortal struct {
	*DB
	dead chan struct{}
}

// Dead implements enginetest.Process.
func (m *mortal) Dead() <-chan struct{} { return m.dead }

// Start implements enginetest.Processes.
func (c *crashing) Start(t *testing.T, r *rand.Rand) enginetest.Process {
	t.Helper()
	m := &mortal{dead: make(chan struct{})}
	line := clickhousetest.Lossy(t, c.dsn, func(statement string) clickhousetest.Fate {
		inserts := strings.HasPrefix(statement, "INSERT INTO ")
		if !inserts && !strings.Contains(statement, " FINAL ") {
			return clickhousetest.Arrives // what a start asks
		}
		n := r.IntN(100)
		for _, fate := range []clickhousetest.Fate{clickhousetest.Dies, clickhousetest.IsLost, clickhousetest.IsUnanswered, clickhousetest.IsLate} {
			if n -= c.fates[fate]; n >= 0 {
				continue
			}
			switch {
			case fate == clickhousetest.Dies:
				close(m.dead)
			case !inserts:
				return clickhousetest.IsLost
			}
			return fate
		}
		return clickhousetest.Arrives
	})
	c.mu.Lock()
	c.lines = append(c.lines, line)
	c.mu.Unlock()
	m.DB = c.open(t, line.DSN(), store.MigrateOff)
	return m
}

func (c *crashing) open(t *testing.T, dsn string, migration store.Migration) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{DSN: dsn, Now: func() time.Time { return storetest.Epoch }, Migration: migration, keepExpired: true})
	if err != nil {
		t.Errorf("open: %v", err)
		return nil
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// Reader implements enginetest.Processes.
func (c *crashing) Reader(*testing.T) store.Engine { return c.admin }

// Arrive implements enginetest.Processes.
func (c *crashing) Arrive(r *rand.Rand, oneIn int) error {
	c.mu.Lock()
	lines := append([]*clickhousetest.Between(nil), c.lines...)
	c.mu.Unlock()
	var errs []error
	for _, line := range lines {
		_, err := line.Deliver(func() bool { return r.IntN(oneIn) == 0 })
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Merge implements enginetest.Processes.
func (c *crashing) Merge(t *testing.T) {
	t.Helper()
	for _, table := range tables {
		require.NoError(t, c.admin.conn.Exec(t.Context(), "SYSTEM START MERGES "+table.name))
		require.NoError(t, c.admin.conn.Exec(t.Context(), "OPTIMIZE TABLE "+table.name+" FINAL"))
		n, err := c.admin.number(t.Context(), "count", "SELECT toInt64(count()) FROM "+table.name)
		require.NoError(t, err)
		final, err := c.admin.number(t.Context(), "count", "SELECT toInt64(count()) FROM "+table.name+" FINAL")
		require.NoError(t, err)
		require.Equal(t, final, n, "%s is merged", table.name)
	}
}

// Processes die between any two statements, statements and answers are lost, and some
// arrive after their callers have gone: the answers are those of the contract.
// TOUCHSTONE_SOAK_ROUNDS says with how many seeds.
func TestProcessesThatDieBetweenStatements(t *testing.T) {
	t.Parallel()
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("TOUCHSTONE_SOAK_ROUNDS")); err == nil {
		rounds = n
	}
	for seed := range rounds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			c := &crashing{dsn: clickhousetest.Database(t, t.Name()), fates: map[clickhousetest.Fate]int{
				clickhousetest.Dies: 4, clickhousetest.IsLost: 4, clickhousetest.IsUnanswered: 6, clickhousetest.IsLate: 6,
			}}
			c.admin = c.open(t, c.dsn, store.MigrateAuto)
			for _, table := range tables {
				require.NoError(t, c.admin.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+table.name))
			}
			enginetest.ExerciseCrashes(t, uint64(seed), c)
		})
	}
}
