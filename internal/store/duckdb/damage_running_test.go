// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// What is done to a file while the store runs, without its knowledge, is met by a
// call that uses the file: it is refused once.
func TestFilesThatAreDamagedWhileTheStoreRuns(t *testing.T) {
	t.Parallel()
	base, clk, perFile := soundStore(t, false)
	other := partitionFiles(t, base)[0]
	for _, x := range []struct {
		name  string
		index int
		do    func(t *testing.T, path string)
	}{
		{"a closed file is deleted", 1, func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		{"a closed file is emptied", 1, func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) }},
		{"a closed file is cut", 1, func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 300_000)) }},
		{"a closed file is another one's copy", 1, func(t *testing.T, path string) {
			b, err := os.ReadFile(other)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+"~", b, 0o600))
			require.NoError(t, os.Rename(path+"~", path))
		}},
		{"a closed file is a directory", 1, func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}},
		{"a block of a closed file changes", 1, func(t *testing.T, path string) { flip(t, path, 12288+131072*3+77, 64) }},
		{"a file that takes in spans is deleted", 3, func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		{"a file that takes in spans is swapped", 3, func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"~"))
			b, err := os.ReadFile(path + "~")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, b, 0o600))
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			told := &reports{}
			dir := copied(t, base)
			db := open(t, Config{Dir: dir, Now: clk.now, Report: told.add})
			paths := partitionFiles(t, dir)
			x.do(t, paths[x.index])
			damaged := envOfFile(paths[x.index])
			env := damageEnvs()[damaged]

			_, err := db.countFor(t.Context(), env)
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
			require.Equal(t, "find spans: a file of the span store is damaged and is being moved away: ask again", fault.Message(err))
			want := [2]int{}
			for i, path := range paths {
				if i != x.index {
					want[envOfFile(path)] += perFile[i]
				}
			}
			for range 2 {
				for i, env := range damageEnvs() {
					n, err := db.countFor(t.Context(), env)
					require.NoError(t, err)
					require.Equal(t, want[i], n)
				}
			}
			require.Equal(t, 1, db.DamagedPartitions())
			require.Len(t, told.mentioning(paths[x.index]+" was moved to "), 1, told.list)
			require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 999, clk.now())}))
			n, err := db.countFor(t.Context(), env)
			require.NoError(t, err)
			require.Equal(t, want[damaged]+1, n)
		})
	}
}

// A write that meets damage is refused, and the next one taken: also where the rows
// that it replaces cannot be read.
func TestWritesGoOnBesideADamagedFile(t *testing.T) {
	t.Parallel()
	base, clk, _ := soundStore(t, false)
	for name, damage := range map[string]func(t *testing.T, path string){
		"deleted": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"blocks": func(t *testing.T, path string) {
			st, err := os.Stat(path)
			require.NoError(t, err)
			for at := int64(12288) + 131072*2; at+64 < st.Size(); at += 131072 {
				flip(t, path, at+500, 32)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, base)
			db := open(t, Config{Dir: dir, Now: clk.now})
			damage(t, partitionFiles(t, dir)[2]) // takes in spans of the first environment written
			env := damageEnvs()[envOfFile(partitionFiles(t, base)[2])]
			// A span of the damaged file that is sent again is stored as a new one.
			var list []store.Record
			for n := 201; n <= 300; n++ {
				if e := damageEnvs()[n%2]; e.ID == env.ID {
					again := numbered(env, n, clk.now())
					again.Span.Input = "another content"
					list = append(list, again)
				}
			}
			eventually(t, func() error { return storetest.Write(t.Context(), db, list) })
			for i := range 3 {
				eventually(t, func() error {
					return storetest.Write(t.Context(), db, []store.Record{numbered(env, 1_000_000+i, clk.now())})
				})
			}
			eventually(t, func() error {
				n, err := db.countFor(t.Context(), env)
				if err == nil {
					require.Equal(t, 100+3+50, n)
				}
				return err
			})
		})
	}
}

// A newer format is refused as before, and nothing is moved, whatever else is damaged.
func TestANewerFormatIsNotSetAside(t *testing.T) {
	t.Parallel()
	dir, clk, _ := soundStore(t, false)
	files := partitionFiles(t, dir)
	newer, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	newer.SetMaxOpenConns(1)
	_, err = newer.ExecContext(t.Context(), "ATTACH "+sqltext.Quoted(files[3])+" AS p; UPDATE p.format SET version = 9999")
	require.NoError(t, err)
	require.NoError(t, newer.Close())
	flip(t, files[2], 100, 8)
	_, err = Open(t.Context(), Config{Dir: dir, Now: clk.now})
	require.ErrorContains(t, err, files[3]+" has format 9999, which a newer release of Touchstone wrote")
	require.Equal(t, files, partitionFiles(t, dir))
	require.NoDirExists(t, filepath.Join(dir, "damaged"))
}

// The file of DuckDB's own holds nothing, and is created again.
func TestTheMainFileIsMadeAnew(t *testing.T) {
	t.Parallel()
	base, clk, _ := soundStore(t, false)
	for _, at := range []int64{0, 9, 100, 4104, 8200} {
		dir := copied(t, base)
		flip(t, filepath.Join(dir, "store.duckdb"), at, 4)
		db := open(t, Config{Dir: dir, Now: clk.now})
		require.Len(t, stored(t, db, damageEnvs()[0]), 150)
		require.Equal(t, 1, db.DamagedPartitions())
		require.FileExists(t, filepath.Join(dir, "damaged", "store", "store.duckdb"))
		require.NoError(t, db.Close())
	}
}

// What a crash left half moved is moved, a name that is taken is not taken again, and
// what was moved away goes when its spans would have.
func TestFilesSetAsideAreKeptApartUntilTheyExpire(t *testing.T) {
	t.Parallel()
	dir, clk, _ := soundStore(t, true)
	files := partitionFiles(t, dir)
	last := files[3]
	log, err := os.ReadFile(last + ".wal")
	require.NoError(t, err)
	_, err = aside.Move(dir, last)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(last+".wal", log, 0o600))
	db := open(t, Config{Dir: dir, Now: clk.now})
	require.NoFileExists(t, last+".wal")
	env := damageEnvs()[envOfFile(last)]
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 999, clk.now())}))
	require.NoFileExists(t, last, "serials are not used again")
	require.Len(t, stored(t, db, env), 101)
	require.NoError(t, db.Close())

	require.NoError(t, os.WriteFile(last, []byte("back again, and worse"), 0o600))
	db = open(t, Config{Dir: dir, Now: clk.now})
	require.Equal(t, 2, db.DamagedPartitions())
	require.FileExists(t, filepath.Join(dir, "damaged", "0168h-20251122T060000Z-000004~2", filepath.Base(last)))
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Equal(t, 2, db.DamagedPartitions())
	clk.pass(8 * 24 * time.Hour)
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Zero(t, db.DamagedPartitions())
}

// A process is killed while a damaged file is moved away, with some of what is to be
// moved moved, in the order in which it is or in that in which a disk may have kept it.
// The next start moves the rest: all of it is kept as it was, once, the store
// tells of it, and no other span is lost.
func TestKilledWhileAFileIsSetAside(t *testing.T) {
	t.Parallel()
	base, clk, perFile := soundStore(t, true)
	const index = 2
	st, err := os.Stat(partitionFiles(t, base)[index])
	require.NoError(t, err)
	require.NoError(t, os.Truncate(partitionFiles(t, base)[index], st.Size()/2))
	for name, moved := range map[string][]string{
		"nothing": {}, "the file": {""}, "the log": {".wal"}, "file and log": {"", ".wal"}, "file and keys": {"", ".keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t, base)
			path := partitionFiles(t, dir)[index]
			require.NoError(t, os.WriteFile(path+".keys", []byte("keys"), 0o600))
			all := [2]int{}
			for i, f := range partitionFiles(t, dir) {
				if i != index {
					all[envOfFile(f)] += perFile[i]
				}
			}
			before := filesOf(t, path)
			require.Len(t, before, 2)
			to := filepath.Join(dir, "damaged", strings.TrimSuffix(filepath.Base(path), ".duckdb"))
			require.NoError(t, os.MkdirAll(to, 0o700))
			for _, suffix := range moved {
				require.NoError(t, os.Rename(path+suffix, filepath.Join(to, filepath.Base(path+suffix))))
			}
			for range 2 {
				db := open(t, Config{Dir: dir, Now: clk.now, MinFreeBytes: -1})
				require.Positive(t, db.DamagedPartitions())
				for i, env := range damageEnvs() {
					require.Len(t, stored(t, db, env), all[i])
				}
				require.NoError(t, db.Close())
			}
			require.Empty(t, filesOf(t, path))
			require.NoFileExists(t, path+".keys")
			kept := map[string][]byte{}
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, "damaged"), func(found string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasSuffix(found, ".keys") {
					return err
				}
				require.NotContains(t, kept, d.Name())
				kept[d.Name()], err = os.ReadFile(found)
				return err
			}))
			require.Equal(t, before, kept)
		})
	}
}

// A directory that is gone with its disk is not created again, and when it is back all of
// it is there.
func TestADirectoryThatIsGoneIsNotDamage(t *testing.T) {
	t.Parallel()
	dir, clk, _ := soundStore(t, false)
	db := open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, os.Rename(dir, dir+".away"))
	_, err := db.countFor(t.Context(), damageEnvs()[0])
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	_, err = db.countFor(t.Context(), damageEnvs()[0])
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.NoDirExists(t, dir)
	require.NoError(t, os.Rename(dir+".away", dir))
	for _, env := range damageEnvs() {
		eventually(t, func() error {
			n, err := db.countFor(t.Context(), env)
			if err == nil {
				require.Equal(t, 150, n)
			}
			return err
		})
	}
	require.Zero(t, db.DamagedPartitions())
}
