// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The binaries of releases, made of the last commit, have the same bytes wherever they are
// built. With TOUCHSTONE_FRESH_CACHE set the second build begins with no compiled package,
// which takes minutes.
func TestBuildsAreReproducible(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var sums [2]map[string][sha256.Size]byte
	for i, place := range []string{"one", "another/and/deeper"} {
		dir := filepath.Join(t.TempDir(), place)
		run := func(env []string, name string, args ...string) {
			cmd := exec.CommandContext(t.Context(), name, args...)
			cmd.Env = append(os.Environ(), env...)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
		run(nil, "git", "clone", "--quiet", root, dir)
		env := []string{"TMPDIR=" + t.TempDir()}
		if i == 1 && os.Getenv("TOUCHSTONE_FRESH_CACHE") != "" {
			env = append(env, "GOCACHE="+t.TempDir())
		}
		run(env, "make", "-C", dir, "build-static", "build-slim")
		sums[i] = map[string][sha256.Size]byte{}
		for _, name := range []string{"touchstone-static", "touchstone-slim"} {
			content, err := os.ReadFile(filepath.Join(dir, "bin", name))
			require.NoError(t, err)
			sums[i][name] = sha256.Sum256(content)
		}
	}
	require.Equal(t, sums[0], sums[1])
}
