// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/verify"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// steps writes a sequence of steps, each of which adds a span, replaces an older one
// and judges another one, so that the state after any number of steps is known.
type steps struct {
	tb    testing.TB
	db    *DB
	start time.Time
	done  int
}

const (
	replacedAfter = 40 // steps
	judgedAfter   = 70
)

func (s *steps) record(n int) store.Record {
	r := numbered(testEnv("backup", time.Hour*24*30), n, s.start.Add(time.Duration(n)*time.Second))
	r.Evaluations[0].Status = eval.Deferred
	return r
}

func (s *steps) replaced(n int) store.Record {
	r := s.record(n)
	r.Span.Output = "replaced by step " + strconv.Itoa(n+replacedAfter)
	return r
}

func (s *steps) next() {
	n := s.done
	records := []store.Record{s.record(n)}
	if n >= replacedAfter {
		records = append(records, s.replaced(n-replacedAfter))
	}
	require.NoError(s.tb, storetest.Write(s.tb.Context(), s.db, records))
	if n >= judgedAfter {
		r := s.replaced(n - judgedAfter)
		e := r.Evaluations[0]
		e.Status, e.Time = eval.Done, int64(n)
		_, err := s.db.Write(s.tb.Context(), store.Batch{Evaluations: []store.Evaluated{{
			Environment: r.Environment.ID, Span: r.Span.Key(), Evaluations: []eval.Evaluation{e},
		}}})
		require.NoError(s.tb, err)
	}
	s.done++
}

// requireState expects a store to have what it has after some steps, which it
// returns, the last of them perhaps not whole.
func (s *steps) requireState(db *DB) int {
	found := stored(s.tb, db, s.record(0).Environment)
	n := len(found)
	for i := range n {
		require.Contains(s.tb, found, i)
		require.Equal(s.tb, i < n-replacedAfter, found[i].Output != "", "span %d of %d", i, n)
		made := evaluationsOf(s.tb, db, s.record(0).Environment, s.record(i))
		require.Len(s.tb, made, 1)
		if i != n-1-judgedAfter { // which is a write of its own
			require.Equal(s.tb, i < n-judgedAfter, made[0].Status == eval.Done, "span %d of %d", i, n)
		}
	}
	return n
}

func TestBackupHasWhatWasWrittenBeforeAMoment(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]int64{"one file": math.MaxInt32, "files that end all the time": 25} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clk := newClock()
			db, err := Open(t.Context(), Config{Dir: dir, PartitionRows: rows, MinFreeBytes: -1, Now: clk.now})
			require.NoError(t, err)
			s := &steps{tb: t, db: db, start: clk.ago(time.Hour)}
			for range 150 {
				s.next()
			}
			var into []string
			for i := range 3 {
				path := filepath.Join(t.TempDir(), strconv.Itoa(i))
				into = append(into, path)
				before, ended := s.done, make(chan error, 1)
				var last BackupProgress
				go func() {
					_, err := db.Backup(t.Context(), path, func(p BackupProgress) { last = p })
					ended <- err
				}()
				for running := true; running; {
					select {
					case err := <-ended:
						require.NoError(t, err)
						running = false
					default:
						s.next()
					}
				}
				after := s.done
				require.Positive(t, last.Files)
				require.Equal(t, last.Total, last.Bytes)
				for range 30 { // of which the backup knows nothing
					s.next()
				}
				kept, err := Open(t.Context(), Config{Dir: path, MinFreeBytes: -1, Now: clk.now})
				require.NoError(t, err)
				n := s.requireState(kept)
				require.GreaterOrEqual(t, n, before)
				require.LessOrEqual(t, n, after)
				require.NoError(t, kept.Close())
			}
			require.Equal(t, s.done, s.requireState(db))
			require.NoError(t, db.Close())

			// A store that was restored goes on.
			kept, err := Open(t.Context(), Config{Dir: into[0], MinFreeBytes: -1, Now: clk.now})
			require.NoError(t, err)
			s.db, s.done = kept, s.requireState(kept)-1 // the last step may not have been whole
			for range 100 {
				s.next()
			}
			require.Equal(t, s.done, s.requireState(kept))
			require.NoError(t, kept.Close())
			verified, err := verify.Store(t.Context(), into[0])
			require.NoError(t, err)
			for _, v := range verified {
				require.Equal(t, verify.Sound, v.State)
			}
		})
	}
}

func TestBackupOpensWithoutReadingClosedFiles(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), PartitionRows: 20, MinFreeBytes: -1, Now: clk.now})
	require.NoError(t, err)
	s := &steps{tb: t, db: db, start: clk.ago(time.Hour)}
	for range 200 {
		s.next()
	}
	path := filepath.Join(t.TempDir(), "backup")
	moment, err := db.Backup(t.Context(), path, func(BackupProgress) {})
	require.NoError(t, err)
	require.Equal(t, clk.now(), moment)
	require.NoError(t, db.Close())
	kept, err := Open(t.Context(), Config{Dir: path, MinFreeBytes: -1, Now: clk.now, WindowKeys: 1})
	require.NoError(t, err)
	require.LessOrEqual(t, kept.AttachedFiles(), 2, "the last, and that with the last keys")
	require.Equal(t, s.done, s.requireState(kept))
	require.NoError(t, kept.Close())
}

// The partitions that a backup closes get their indexes, also where it came to nothing.
func TestBackupIndexesWhatItCloses(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), MinFreeBytes: -1, Now: clk.now, indexRows: 1})
	s := &steps{tb: t, db: db, start: clk.ago(time.Hour)}
	for range 30 {
		s.next()
	}
	ended, end := context.WithCancel(t.Context())
	_, err := db.Backup(ended, filepath.Join(t.TempDir(), "ended"), func(BackupProgress) { end() })
	require.ErrorIs(t, err, context.Canceled)
	db.awaitIndexes()
	require.True(t, db.engine.partitions[0].IsIndexed())
	for range 30 {
		s.next()
	}
	_, err = db.Backup(t.Context(), filepath.Join(t.TempDir(), "whole"), func(BackupProgress) {})
	require.NoError(t, err)
	db.awaitIndexes()
	require.Greater(t, len(db.engine.partitions), 1)
	for _, p := range db.engine.partitions {
		require.True(t, p.IsIndexed(), "%+v", p.Label)
	}
	require.Equal(t, s.done, s.requireState(db))
}

func TestBackupOfAnEmptyStore(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), MinFreeBytes: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	path := filepath.Join(t.TempDir(), "backup")
	_, err = db.Backup(t.Context(), path, func(BackupProgress) {})
	require.NoError(t, err)
	kept, err := Open(t.Context(), Config{Dir: path, MinFreeBytes: -1})
	require.NoError(t, err)
	require.Empty(t, stored(t, kept, testEnv("backup", time.Hour)))
	require.NoError(t, kept.Close())
}

// grown returns a store of several partitions, and what was written to it.
func grown(t *testing.T) (*DB, *steps) {
	t.Helper()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), PartitionRows: 20, Now: clk.now})
	s := &steps{tb: t, db: db, start: clk.ago(time.Hour)}
	for range 50 {
		s.next()
	}
	return db, s
}

func TestBackupThatCannotBeMade(t *testing.T) {
	t.Parallel()
	db, s := grown(t)
	tell := func(BackupProgress) {}

	_, err := db.Backup(t.Context(), t.TempDir(), tell)
	require.ErrorIs(t, err, os.ErrExist)
	_, err = db.Backup(t.Context(), filepath.Join(t.TempDir(), "no", "parent"), tell)
	require.ErrorIs(t, err, os.ErrNotExist)

	db.cfg.MinFreeBytes = math.MaxInt64 / 2
	_, err = db.Backup(t.Context(), filepath.Join(t.TempDir(), "full"), tell)
	require.True(t, fault.Is(err, fault.Unavailable), err)
	require.ErrorContains(t, err, "no room")
	db.cfg.MinFreeBytes = -1

	ended, cancel := context.WithCancel(t.Context())
	_, err = db.Backup(ended, filepath.Join(t.TempDir(), "ended"), func(BackupProgress) { cancel() })
	require.ErrorIs(t, err, context.Canceled)

	// None of it harmed the store.
	for range 50 {
		s.next()
	}
	require.Equal(t, s.done, s.requireState(db))
}

func TestBackupWaitsForAFileThatIsBeingRead(t *testing.T) {
	t.Parallel()
	db, _ := grown(t)
	p := db.engine.partitions[0]
	require.NoError(t, db.engine.pinToWrite(t.Context(), p))
	path := filepath.Join(t.TempDir(), "backup")
	_, err := db.Backup(t.Context(), path, func(b BackupProgress) {
		if b.Files == 1 { // the second file: the first was waited for in vain
			p.EndWriting()
		}
	})
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(path, instance.PartitionDir, "*.duckdb"))
	require.NoError(t, err)
	require.Len(t, files, len(db.engine.partitions))
}
