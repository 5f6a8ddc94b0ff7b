// SPDX-License-Identifier: Apache-2.0

package durable_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/durable"
)

func TestWhatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.ErrorIs(t, durable.File(path), fs.ErrNotExist)
	require.ErrorIs(t, durable.Directory(path), fs.ErrNotExist)

	require.NoError(t, os.WriteFile(path, []byte("text"), 0o600))
	require.NoError(t, durable.File(path))
	require.NoError(t, durable.Directory(dir))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
}
