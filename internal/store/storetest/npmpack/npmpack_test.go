// SPDX-License-Identifier: Apache-2.0

package npmpack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func packed(t *testing.T, files map[string]string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return &b
}

func TestFilesAreUnpackedAndLinked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, unpack(packed(t, map[string]string{
		"package/native/lib/libx.so.1.2":  "library",
		"package/native/pg-symlinks.json": `[{"source": "native/lib/libx.so.1.2", "target": "native/lib/libx.so"}]`,
	}), dir))
	require.NoError(t, link(filepath.Join(dir, "package")))
	text, err := os.ReadFile(filepath.Join(dir, "package/native/lib/libx.so"))
	require.NoError(t, err)
	require.Equal(t, "library", string(text))
	st, err := os.Stat(filepath.Join(dir, "package/native/lib/libx.so"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o555), st.Mode().Perm())
	require.NoError(t, link(t.TempDir()), "a package without links")
}

func TestNoNameLeadsOut(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.Error(t, unpack(packed(t, map[string]string{"package/../../out": "x"}), dir))
	require.NoFileExists(t, filepath.Join(dir, "..", "out"))
}
