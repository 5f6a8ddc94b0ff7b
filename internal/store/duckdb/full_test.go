// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// filling is what fills a disk.
type filling struct {
	dir   string
	clock *clock
	db    *DB
	owed  *backlog.Backlog
	// step stores a hundred more behind the first n, and found counts them.
	step  func(n int) error
	found func() (int, error)
}

func newFilling(dir string) (*filling, error) {
	f := &filling{dir: filepath.Join(dir, "store"), clock: newClock()}
	return f, f.open()
}

func (f *filling) open() (err error) {
	f.db, err = Open(context.Background(), Config{Dir: f.dir, MinFreeBytes: -1, CheckpointBytes: 1 << 20, Now: f.clock.now})
	if err != nil {
		return err
	}
	f.owed, err = backlog.Open(context.Background(), f.db, f.clock.now)
	return err
}

// childFiller fills the disk with spans.
func childFiller(dir string) error {
	ctx := context.Background()
	unlimit, err := limitSpace(dir)
	if err != nil {
		return err
	}
	f, err := newFilling(dir)
	if err != nil {
		return err
	}
	env := testEnv("prd", 720*time.Hour)
	f.step = func(n int) error {
		var list []store.Record
		for i := range 100 {
			r := numbered(env, n+i, f.clock.now())
			r.Span.Input = noise(n + i)
			list = append(list, r)
		}
		return storetest.Write(ctx, f.db, list)
	}
	f.found = func() (int, error) { return f.db.countFor(ctx, env) }
	return f.run(unlimit)
}

// childCompletingFiller fills it with what becomes of evaluations.
func childCompletingFiller(dir string) error {
	ctx := context.Background()
	unlimit, err := limitSpace(dir)
	if err != nil {
		return err
	}
	f, err := newFilling(dir)
	if err != nil {
		return err
	}
	env := testEnv("prd", 720*time.Hour)
	const spans = 12_000
	for n := 0; n < spans; n += 1000 {
		var list []store.Record
		for i := range 1000 {
			list = append(list, owing(env, n+i, f.clock.now(), f.clock.now()))
		}
		if err := storetest.Write(ctx, f.db, list); err != nil {
			return err
		}
	}
	f.step = func(n int) error {
		var list []store.Evaluated
		for i := range 100 {
			x := owing(env, n+i, f.clock.now(), f.clock.now())
			v := doneWith(x.Evaluations[1], noise(n+i))
			list = append(list, store.Evaluated{Environment: env.ID, Span: x.Span.Key(), Evaluations: []eval.Evaluation{v}})
		}
		return f.owed.Complete(ctx, list)
	}
	f.found = func() (int, error) {
		field := query.Field{Kind: query.FieldEvaluation, Name: "tone", Output: "o"}
		page, err := f.db.Search(ctx, env, query.Query{
			To: 1<<63 - 1, Total: true, Order: query.Order{By: query.SortTraceID},
			Filters: []query.Filter{{Field: field, Operator: query.OpExists}},
		})
		if err != nil {
			return 0, err
		}
		owed, err := f.owed.Stats(ctx)
		if err == nil && owed.Evaluations != 2*spans-page.Total {
			err = fmt.Errorf("%d are done, but %d of %d pending", page.Total, owed.Evaluations, 2*spans)
		}
		return int(page.Total), err
	}
	return f.run(unlimit)
}

// run stores until there is no more space, waits until it learns that there
// is, and goes on. It says how much was acknowledged before, and that all of
// it, and more, is there afterwards.
func (f *filling) run(unlimit func() error) error {
	n := 0
	var err error
	// Full is when nothing goes any more, however often it is tried. One more
	// try may succeed: when the commit was durable and only the checkpoint after
	// it was not. A try that finds the engine stopped waits for the pause by itself.
	var refused time.Time
	for refused.IsZero() || time.Since(refused) < 3*pause {
		switch err = f.step(n); {
		case err == nil:
			n += 100
			refused = time.Time{}
		case fault.KindOf(err) != fault.Unavailable:
			return fmt.Errorf("the kind is %s: %w", fault.KindOf(err), err)
		case refused.IsZero():
			refused = time.Now()
		}
	}
	fmt.Printf("full after %d: %v\n", n, err)
	fmt.Println("waiting")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if err := unlimit(); err != nil {
		return err
	}
	// What goes on may meet what was left of the full disk, and is opened again then, a few
	// times at most. Each try waits for the pause before it, however long it takes.
	const mostTries = 100
	for tries := 1; ; tries++ {
		if err = f.step(n); err == nil {
			break
		}
		if tries == mostTries {
			return fmt.Errorf("still not writable: %w", err)
		}
	}
	n += 100
	for range 20 {
		if err := f.step(n); err != nil {
			return err
		}
		n += 100
	}
	found, err := f.found()
	fmt.Printf("recovered with %d of %d\n", found, n)
	if err := errors.Join(err, f.db.Close(), f.open()); err != nil {
		return err
	}
	found, err = f.found()
	fmt.Printf("reopened with %d of %d\n", found, n)
	return errors.Join(err, f.db.Close())
}

// noise makes a text that does not compress.
func noise(seed int) string {
	var b strings.Builder
	x := uint64(seed)*2862933555777941757 + 3037000493
	for range 250 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		fmt.Fprintf(&b, "%016x", x)
	}
	return b.String()
}

// limitSpace makes a file system of 24 MiB on dir where that is allowed. Where it
// is not, no file may grow beyond 6 MiB. The result lifts the limit.
func limitSpace(dir string) (func() error, error) {
	if os.Getenv(childMount) != "" {
		return mountSmall(dir)
	}
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return nil, err
	}
	small := limit
	small.Cur = 6 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return nil, err
	}
	return func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) }, nil
}

// childMount tells the filler to use a small file system of its own.
const childMount = "TOUCHSTONE_TEST_MOUNT"

func expectRecovery(t *testing.T, c *child) {
	t.Helper()
	t.Log(c.expect(t, "full "))
	c.expect(t, "waiting")
	_, err := c.in.Write([]byte("\n"))
	require.NoError(t, err)
	for _, what := range []string{"recovered", "reopened"} {
		var found, want int
		_, err := fmt.Sscanf(c.expect(t, what+" with "), "%d of %d", &found, &want)
		require.NoError(t, err)
		require.Equal(t, want, found, what)
	}
	require.NoError(t, c.Wait())
}

func TestFilesThatCannotGrow(t *testing.T) {
	t.Parallel()
	for _, name := range fillers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectRecovery(t, start(t, name, t.TempDir()))
		})
	}
}

func fillers() []string { return []string{"filler", "completing filler"} }

func TestWritesAreRefusedBeforeTheDiskIsFull(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", time.Hour)
	dir := t.TempDir()
	db := open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 1, clk.now())}))
	require.NoError(t, db.Close())
	db = open(t, Config{Dir: dir, Now: clk.now, MinFreeBytes: 1 << 60})
	err := storetest.Write(t.Context(), db, []store.Record{numbered(env, 2, clk.now())})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Len(t, stored(t, db, env), 1)
}
