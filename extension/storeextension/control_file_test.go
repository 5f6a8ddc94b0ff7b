// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// A file of the control store that is removed or exchanged while the process runs is
// reported while it can be brought back: after the next start what was written is gone.
func TestTheControlStoreIsRemovedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	dir := aStore(t)
	path := filepath.Join(dir, controlFile)
	e, err := newExtension(testConfig(dir), componenttest.NewNopTelemetrySettings(), openEngine)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, e.Shutdown(t.Context())) }()
	e.health.look(t.Context())
	require.Empty(t, e.Problems())

	aside := filepath.Join(t.TempDir(), "aside")
	require.NoError(t, os.Rename(path, aside))
	gone := []store.Problem{{Name: store.ProblemControl, Message: "keys and setups are written to a file that was removed or exchanged: restore it from a backup and restart, or they are lost"}}
	e.health.look(t.Context())
	require.Equal(t, gone, e.Problems())
	require.True(t, gone[0].Stops())
	b, err := os.ReadFile(aside)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	e.health.look(t.Context())
	require.Equal(t, gone, e.Problems(), "a copy is another file")
	require.NoError(t, os.Rename(aside, path))
	e.health.look(t.Context())
	require.Empty(t, e.Problems())
}
