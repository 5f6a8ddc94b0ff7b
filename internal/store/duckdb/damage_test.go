// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// damageEnvs are two classes of retention, both longer than the store that is damaged
// is old.
func damageEnvs() [2]tenant.Environment {
	return [2]tenant.Environment{testEnv("week", 7*24*time.Hour), testEnv("month", 720*time.Hour)}
}

// soundStore is a store of four files, of which two take in spans: in each class
// 100 spans in one that is closed and 50 in one that is not. With a log, 50 more
// are in the logs of the latter, as after a kill. Times are those of the clock.
func soundStore(t *testing.T, logged bool) (dir string, clk *clock, perFile []int) {
	t.Helper()
	dir, clk = t.TempDir(), newClock()
	n := 0
	write := func(db *DB, count int) {
		var list []store.Record
		for range count {
			n++
			list = append(list, numbered(damageEnvs()[n%2], n, clk.now()))
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	db := open(t, Config{Dir: dir, Now: clk.now})
	write(db, 200)
	clk.pass(25 * time.Hour)
	write(db, 100)
	require.NoError(t, db.Close())
	perFile = []int{100, 100, 50, 50}
	if logged {
		db = open(t, Config{Dir: dir, Now: clk.now})
		write(db, 100)
		live := t.TempDir()
		require.NoError(t, os.CopyFS(live, os.DirFS(dir)))
		require.NoError(t, db.Close())
		dir, perFile = live, []int{100, 100, 100, 100}
	}
	return dir, clk, perFile
}

// envOfFile returns whose spans are in a file of soundStore.
func envOfFile(path string) int {
	if strings.HasPrefix(filepath.Base(path), "0168h") {
		return 0
	}
	return 1
}

// eventually calls f until it is not refused as unavailable, which may be twice.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	var err error
	for range 3 {
		if err = f(); err == nil || !fault.Is(err, fault.Unavailable) {
			break
		}
	}
	require.NoError(t, err)
}

// reports collects what an engine reports.
type reports struct {
	mu   sync.Mutex
	list []string
}

func (r *reports) add(message string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, fmt.Sprint(message, ": ", err))
}

// mentioning returns those with a text.
func (r *reports) mentioning(text string) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		if strings.Contains(s, text) {
			list = append(list, s)
		}
	}
	return list
}

// filesOf reads a file of the store and its log.
func filesOf(t *testing.T, path string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, suffix := range []string{"", ".wal"} {
		b, err := os.ReadFile(path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		found[filepath.Base(path+suffix)] = b
	}
	return found
}

// requireSoundRest opens a store of which one file was damaged, and expects all
// spans, or all but those of the file, which is kept as it was and reported; and
// that the store goes on. It returns whether the file was moved away.
func requireSoundRest(t *testing.T, what, dir string, clk *clock, perFile []int, index int) bool {
	t.Helper()
	path := partitionFiles(t, dir)[index]
	before := filesOf(t, path)
	all := [2]int{}
	for i, f := range partitionFiles(t, dir) {
		all[envOfFile(f)] += perFile[i]
	}
	told := &reports{}
	cfg := Config{Dir: dir, Now: clk.now, Report: told.add, MinFreeBytes: -1}
	db, err := Open(t.Context(), cfg)
	require.NoError(t, err, what)
	totals := func() (found [2]int) {
		for i, env := range damageEnvs() {
			eventually(t, func() (err error) { found[i], err = db.countFor(t.Context(), env); return err })
		}
		return found
	}
	totals()
	found := totals() // now nothing is half known any more
	aside := db.DamagedPartitions()
	if aside == 0 {
		require.Equal(t, all, found, what)
		require.Empty(t, told.mentioning("damaged"), what)
	} else {
		require.Equal(t, 1, aside, "%s: %s", what, told.list)
		all[envOfFile(path)] -= perFile[index]
		require.Equal(t, all, found, what)
		require.Len(t, told.mentioning(path+" was moved to "), 1, what)
		kept := filepath.Join(dir, "damaged", strings.TrimSuffix(filepath.Base(path), ".duckdb"), filepath.Base(path))
		require.Equal(t, before, filesOf(t, kept), what+": it is kept as it was")
		require.Empty(t, filesOf(t, path), what)
	}
	for i, env := range damageEnvs() {
		record := numbered(env, 1_000_000+i, clk.now())
		eventually(t, func() error { return storetest.Write(t.Context(), db, []store.Record{record}) })
		all[i]++
	}
	require.Equal(t, all, totals(), what)
	require.NoError(t, db.Close(), what)
	db, err = Open(t.Context(), cfg)
	require.NoError(t, err, what)
	require.Equal(t, all, totals(), what)
	require.Equal(t, aside, db.DamagedPartitions(), what)
	require.NoError(t, db.Close(), what)
	return aside > 0
}

// flip inverts n bytes of a file, and keeps its time: disks do not tell.
func flip(t *testing.T, path string, at int64, n int) {
	t.Helper()
	st, err := os.Stat(path)
	require.NoError(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, n)
	_, err = f.ReadAt(b, at)
	require.NoError(t, err)
	for i := range b {
		b[i] ^= 0xff
	}
	_, err = f.WriteAt(b, at)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(path, st.ModTime(), st.ModTime()))
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	times(t, dir, to)
	return to
}

// times gives copies the times of what they are copies of: summaries tell files by
// them.
func times(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.Walk(from, func(path string, st os.FileInfo, err error) error {
		if err != nil || st.IsDir() {
			return err
		}
		rest, err := filepath.Rel(from, path)
		require.NoError(t, err)
		return os.Chtimes(filepath.Join(to, rest), st.ModTime(), st.ModTime())
	}))
}

func TestDamagedFilesAreSetAside(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		base, clk, perFile := soundStore(t, logged)
		for index, path := range partitionFiles(t, base) {
			if logged && index < 2 {
				continue // those have none
			}
			t.Run(fmt.Sprint("logged ", logged, " file ", index), func(t *testing.T) {
				t.Parallel()
				st, err := os.Stat(path)
				require.NoError(t, err)
				at := []int64{0, 8, 100, 4104, 8200, 12300}
				for i := range int64(8) {
					at = append(at, 12288+(st.Size()-12288)*i/8+300)
				}
				damaged := 0
				for _, at := range at {
					dir := copied(t, base)
					flip(t, partitionFiles(t, dir)[index], at, 1)
					if requireSoundRest(t, fmt.Sprint("byte ", at), dir, clk, perFile, index) {
						damaged++
					}
				}
				require.Greater(t, damaged, len(at)/2)
				for _, size := range []int64{0, 12287, 12288, st.Size() / 2, st.Size() - 1} {
					dir := copied(t, base)
					require.NoError(t, os.Truncate(partitionFiles(t, dir)[index], size))
					require.True(t, requireSoundRest(t, fmt.Sprint("cut to ", size), dir, clk, perFile, index), size)
				}
			})
		}
	}
}

func TestLogsThatCannotBeReplayedAreSetAside(t *testing.T) {
	t.Parallel()
	base, clk, perFile := soundStore(t, true)
	for index := 2; index < 4; index++ {
		t.Run(fmt.Sprint("file ", index), func(t *testing.T) {
			t.Parallel()
			st, err := os.Stat(partitionFiles(t, base)[index] + ".wal")
			require.NoError(t, err)
			at := []int64{0, 2, 4, 10, 20, st.Size() - 1}
			for i := range int64(6) {
				at = append(at, 300+(st.Size()-600)*i/6)
			}
			for _, at := range at {
				dir := copied(t, base)
				flip(t, partitionFiles(t, dir)[index]+".wal", at, 1)
				require.True(t, requireSoundRest(t, fmt.Sprint("byte ", at, " of the log"), dir, clk, perFile, index), at)
			}
		})
	}
}
