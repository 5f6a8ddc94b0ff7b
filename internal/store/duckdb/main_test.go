// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Some tests need a second process. It is this binary, directed by the environment
// to be that process instead of running tests.
const (
	childEnv = "TOUCHSTONE_TEST_CHILD"
	childDir = "TOUCHSTONE_TEST_DIR"
)

// children are what the second process can be.
func children() map[string]func(dir string) error {
	return map[string]func(dir string) error{
		"writer":            childWriter,
		"holder":            childHolder,
		"migrator":          childMigrator,
		"filler":            childFiller,
		"completer":         childCompleter,
		"completing filler": childCompletingFiller,
		"dropper":           childDropper,
		"deleter":           childDeleter,
		"indexer":           childIndexer,
		"replacer":          childReplacer,
		"postponer":         childPostponer,
	}
}

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children()[name](os.Getenv(childDir)); err != nil {
		_, _ = io.WriteString(os.Stdout, "error: "+err.Error()+"\n")
		os.Exit(1)
	}
}

// child is a running second process.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts a second process on dir.
func start(t *testing.T, name, dir string, change ...func(*exec.Cmd)) *child {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.Env = append(os.Environ(), childEnv+"="+name, childDir+"="+dir)
	c.Stderr = os.Stderr
	var err error
	c.in, err = c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.out = bufio.NewScanner(out)
	for _, f := range change {
		f(c.Cmd)
	}
	require.NoError(t, c.Start())
	return c
}

// expect reads lines until one has the prefix, and returns the rest of that line.
func (c *child) expect(t *testing.T, prefix string) string {
	t.Helper()
	for c.out.Scan() {
		if rest, found := strings.CutPrefix(c.out.Text(), prefix); found {
			return rest
		}
		require.NotContains(t, c.out.Text(), "error: ")
	}
	require.Fail(t, "the process ended without saying "+prefix)
	return ""
}
