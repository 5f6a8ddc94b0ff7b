// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// TestModules runs ui/test, the tests of modules that compute and show nothing,
// inside the browser.
func TestModules(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../../ui")
	require.NoError(t, err)
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: dir, EntryPoints: []string{"test/main.ts"}, Outdir: "dist",
		Bundle: true, Format: api.FormatIIFE, Target: api.ES2022,
	})
	require.Empty(t, built.Errors)
	require.Len(t, built.OutputFiles, 1)
	c := start(t)
	p := open(t, c, "/ui/")
	browser.Eval[any](p, string(built.OutputFiles[0].Contents)+";undefined")
	require.Empty(t, browser.Eval[[]string](p, "window.complaints.slice(0, 10)"))
}
