// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/journal"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/verify"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// While what waits cannot be committed, nobody is told that it is not there, nothing of it is
// lost, and no more is taken in than may wait.
func TestWhatCannotBeCommittedGoesOnWaiting(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", 24*time.Hour)
	r := owing(env, 0, clk.now(), clk.now())
	var full atomic.Bool
	dir := t.TempDir()
	cfg := patient(Config{Dir: dir, Now: clk.now, faults: instance.Faults{Writer: func(statement string, done bool) error {
		if full.Load() && !done && statement == "BEGIN TRANSACTION" {
			return errors.New("IO Error: No space left on device")
		}
		return nil
	}}})
	db, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	full.Store(true)
	for _, name := range []string{"Search", "Owed", "Delete", "Backup"} { // each waits for the engine to be opened again
		_, err := looks(env, r)[name](t.Context(), db)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), name)
	}
	sent := 1
	for ; err == nil; sent += 500 {
		require.Less(t, sent, 2*waitingRows)
		var list []store.Record
		for n := range 500 {
			list = append(list, numbered(env, sent+n, clk.now()))
		}
		err = storetest.Write(t.Context(), db, list)
	}
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.EqualValues(t, sent-500, db.Spans(env.ID))

	require.NoError(t, db.Close(), "what waits is in the journal")
	full.Store(false)
	db = open(t, cfg)
	require.Len(t, stored(t, db, env), sent-500)
	require.EqualValues(t, emptyJournal, journalSize(t, dir))
}

// What the engine refuses for good does not keep all else from those who look.
func TestWhatTheEngineRefusesIsSetAside(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", 24*time.Hour)
	commits := 0
	told := ""
	dir := t.TempDir()
	db := open(t, patient(Config{Dir: dir, Now: clk.now, Report: func(message string, err error) { told += fmt.Sprintln(message, err) }, faults: instance.Faults{
		Writer: func(statement string, done bool) error {
			if statement != "COMMIT" || done {
				return nil
			}
			commits++
			if commits == 1 || commits == 3 { // all together, and the second alone
				return errors.New("INTERNAL Error: not this one")
			}
			return nil
		},
	}}))
	for n := range 3 {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, n, clk.now())}))
	}
	found := stored(t, db, env)
	require.Len(t, found, 2)
	require.NotContains(t, found, 1)
	require.Equal(t, 4, commits)
	require.EqualValues(t, emptyJournal, journalSize(t, dir))
	require.Equal(t, 1, db.DamagedPartitions())
	at := filepath.Join(dir, "damaged", "journal.refused")
	require.Contains(t, told, "set aside in "+at)
	require.Contains(t, told, "not this one")
	kept, err := journal.Read(filepath.Join(at, "journal.refused"))
	require.NoError(t, err)
	require.Len(t, kept.Batches, 1)
	require.Equal(t, 1, numberOf(&kept.Batches[0].Records[0].Span))
}

// Where the journal cannot be written nothing is acknowledged, and who sent it comes again.
func TestAJournalThatCannotBeWrittenRefuses(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", 24*time.Hour)
	dir := t.TempDir()
	db := open(t, patient(Config{Dir: dir, Now: clk.now}))
	path := filepath.Join(dir, journal.Name)
	require.NoError(t, os.Mkdir(path, 0o700))
	err := storetest.Write(t.Context(), db, []store.Record{numbered(env, 1, clk.now())})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "write spans: the journal of the span store cannot be written", fault.Message(err))
	require.Zero(t, db.Spans(env.ID))
	require.NoError(t, os.Remove(path))
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 1, clk.now())}))
	require.EqualValues(t, 1, db.Spans(env.ID))
	require.Len(t, stored(t, db, env), 1)
}

// postponed is how many requests childPostponer writes that wait.
const postponed = 20

// childPostponer writes requests that wait, says what was acknowledged, and looks. It is
// killed at a step, the last time that it comes before it would look, or while it does.
func childPostponer(dir string) error {
	ctx := context.Background()
	clk := newClock()
	at := os.Getenv(childStep)
	acked := 0
	die := func() {
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
	commits := 0
	db, err := Open(ctx, patient(Config{Dir: dir, Now: clk.now, faults: instance.Faults{
		Step: func(name string) {
			if name == at && (acked == postponed-1 || acked > 0 && (name == stepCommitted || name == stepEmptied)) {
				die()
			}
		},
		Writer: func(statement string, done bool) error {
			if statement == "COMMIT" && acked > 0 {
				if done {
					commits++
				}
				if at == fmt.Sprintf("commit %d %t", commits, done) {
					die()
				}
			}
			return nil
		},
	}}))
	if err != nil {
		return err
	}
	for ; acked < postponed; acked++ {
		_, err := db.Write(ctx, store.Batch{Records: requestOf(0, acked, clk.now()), Messages: []store.Messages{messagesOf(acked, clk.now())}})
		if err != nil {
			return err
		}
		fmt.Println("acked", acked)
	}
	if db.committed(crashEnvs()[0].ID) != 0 {
		return errors.New("something was committed")
	}
	_, err = db.countFor(ctx, crashEnvs()[0])
	return errors.Join(err, errors.New("it lives"))
}

// messagesOf makes the messages of the first span of a request.
func messagesOf(n int, now time.Time) store.Messages {
	r := requestOf(0, n, now)[0]
	return store.Messages{
		Environment: r.Environment, TraceID: r.Span.TraceID, SpanID: r.Span.SpanID, Time: now.UnixNano(),
		Prompts: span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.content", Value: strconv.Itoa(n)}}),
	}
}

// TestKilledAroundTheJournal kills a process at each step of the way from a request to an
// empty journal, and expects what it acknowledged exactly once, also when it is sent again.
func TestKilledAroundTheJournal(t *testing.T) {
	t.Parallel()
	// There are two classes of retention, and so two commits.
	for _, step := range []string{
		stepJournalling, stepJournalled, "commit 0 false", "commit 1 true", "commit 1 false", "commit 2 true", stepCommitted, stepEmptied,
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := start(t, "postponer", dir, func(c *exec.Cmd) { c.Env = append(c.Env, childStep+"="+step) })
			acked := 0
			for c.out.Scan() {
				require.NotContains(t, c.out.Text(), "error: ")
				acked++
			}
			require.Error(t, c.Wait())
			sent := postponed
			if step == stepJournalling || step == stepJournalled {
				require.Equal(t, postponed-1, acked)
				if step == stepJournalling {
					sent--
				}
			} else {
				require.Equal(t, postponed, acked)
			}
			verifyPostponed(t, dir, step, sent)

			clk := newClock()
			db := open(t, Config{Dir: dir, Now: clk.now, waitingTime: time.Hour})
			require.EqualValues(t, emptyJournal, journalSize(t, dir))
			check := func() {
				for i, env := range crashEnvs() {
					found := stored(t, db, env)
					require.Len(t, found, sent*perRequest/2)
					if i > 0 {
						continue
					}
					for n := range sent {
						s := found[numberOf(&requestOf(0, n, clk.now())[0].Span)]
						require.Equal(t, messagesOf(n, clk.now()).Prompts, s.Prompts)
					}
				}
			}
			check()
			for n := range sent {
				w, err := db.Write(t.Context(), store.Batch{Records: requestOf(0, n, clk.now())})
				require.NoError(t, err)
				require.Empty(t, w.Replaced)
			}
			check()
		})
	}
}

// verifyPostponed expects touchstone verify to count what is committed and what waits.
func verifyPostponed(t *testing.T, dir, step string, sent int) {
	t.Helper()
	list, err := verify.Store(t.Context(), dir)
	require.NoError(t, err)
	waits, all := int64(0), int64(0)
	for _, v := range list {
		require.Equal(t, verify.Sound, v.State)
		require.Equal(t, v.Spans, v.Readable)
		all += v.Spans
		if filepath.Base(v.Path) == journal.Name {
			waits = v.Spans
		}
	}
	spans := int64(sent * perRequest)
	switch step {
	case stepJournalling, stepJournalled, "commit 0 false":
		require.Equal(t, spans, waits)
		require.Equal(t, spans, all)
	case stepEmptied:
		require.Zero(t, waits)
		require.Equal(t, spans, all)
	default: // some or all is in both
		require.Equal(t, spans, waits)
		require.Greater(t, all, spans)
	}
}

// leftBehind makes a store whose process died while n requests waited, and returns its journal.
func leftBehind(t *testing.T, dir string, n int) string {
	t.Helper()
	db, err := Open(t.Context(), patient(Config{Dir: dir, Now: newClock().now}))
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, storetest.Write(t.Context(), db, requestOf(0, i, newClock().now())))
	}
	path := filepath.Join(dir, journal.Name)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, db.Delete(t.Context(), crashEnvs()[0].ID, store.Part{Everything: true}))
	require.NoError(t, db.Delete(t.Context(), crashEnvs()[1].ID, store.Part{Everything: true}))
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

func TestATornJournalIsCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := leftBehind(t, dir, 3)
	st, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, st.Size()-5))
	var told []string
	db := open(t, Config{Dir: dir, Now: newClock().now, Report: func(message string, _ error) { told = append(told, message) }})
	require.Equal(t, []string{"the last entry of the journal is not complete and was left out: it was not acknowledged"}, told)
	require.Len(t, stored(t, db, crashEnvs()[0]), 2*perRequest/2)
	require.EqualValues(t, emptyJournal, journalSize(t, dir))
	require.Zero(t, db.DamagedPartitions())
}

func TestADamagedJournalIsSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := leftBehind(t, dir, 3)
	st, err := os.Stat(path)
	require.NoError(t, err)
	flip(t, path, st.Size()/2, 8)
	damaged, err := os.ReadFile(path)
	require.NoError(t, err)
	list, err := verify.Store(t.Context(), dir)
	require.NoError(t, err)
	last := list[len(list)-1]
	require.Equal(t, verify.File{Path: path, State: verify.Damaged, Spans: 2 * perRequest, Readable: 2 * perRequest, Problem: last.Problem}, last)
	require.Contains(t, last.Problem, "checksum")

	told := ""
	db := open(t, Config{Dir: dir, Now: newClock().now, waitingTime: time.Hour, Report: func(message string, _ error) { told += message }})
	aside := filepath.Join(dir, "damaged", journal.Name)
	require.Contains(t, told, "the damaged journal was set aside in "+aside)
	require.Len(t, stored(t, db, crashEnvs()[0]), 2*perRequest/2)
	require.Equal(t, 1, db.DamagedPartitions())
	b, err := os.ReadFile(filepath.Join(aside, journal.Name))
	require.NoError(t, err)
	require.Equal(t, damaged, b)

	require.NoError(t, db.Expire(t.Context(), time.Now().Add(30*24*time.Hour)))
	require.DirExists(t, aside)
	require.NoError(t, db.Expire(t.Context(), time.Now().Add(32*24*time.Hour)))
	require.NoDirExists(t, aside)
	require.Zero(t, db.DamagedPartitions())

	// Another is begun.
	require.NoError(t, storetest.Write(t.Context(), db, requestOf(0, 9, newClock().now())))
	require.Greater(t, journalSize(t, dir), int64(emptyJournal))
	require.Len(t, stored(t, db, crashEnvs()[0]), perRequest/2)
}

func TestAJournalOfALaterReleaseIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := leftBehind(t, dir, 1)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	b[emptyJournal-1]++
	require.NoError(t, os.WriteFile(path, b, 0o600))
	_, err = Open(t.Context(), Config{Dir: dir})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorIs(t, err, journal.ErrFormat)
	list, err := verify.Store(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, verify.UnknownFormat, list[len(list)-1].State)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, b, after)
}
