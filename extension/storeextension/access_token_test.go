// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An access token is made before the first start of a collector, and renewed.
func TestAccessTokensAreMadeBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	text := fmt.Sprintf("extensions:\n  store: {directory: %q}\nservice:\n  extensions: [store]\n", filepath.Join(dir, "data"))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	made := map[string]bool{}
	for range 2 {
		token, own, err := RenewAccessToken(t.Context(), []string{file}, false)
		require.NoError(t, err)
		require.Empty(t, own)
		made[token] = true
	}
	require.Len(t, made, 2)
}
