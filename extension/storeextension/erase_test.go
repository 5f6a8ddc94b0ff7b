// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// holds reports whether any file of the control store has a text.
func holds(t *testing.T, dir, text string) bool {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), "control.db*")
	require.NoError(t, err)
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// A deletion that one process began is finished by the next, when the last span
// has expired, and nothing of the organization is in the files then.
func TestADeletedOrganizationIsErasedOnceItsSpansExpired(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	e := start(t, testConfig(dir))
	org, keys := storetest.NewOrganization("acme", "prd")
	org.Name, org.Projects[0].Environments[0].Slug = "CANARYNAME", "CANARYSLUG"
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	setup := storetest.NewSetup(keys[0].Environment, "CANARYSETUP")
	setup.ID = "an id, which is no secret"
	require.NoError(t, store.Setups(e.Control()).Create(t.Context(), setup))
	prompt := storetest.NewEvaluator(keys[0].Environment, "ours")
	prompt.Messages = []eval.CustomMessage{{Role: "user", Content: "CANARYPROMPT"}}
	require.NoError(t, store.Evaluators(e.Control()).Create(t.Context(), prompt))
	kept, keptKeys := storetest.NewOrganization("KEPTNAME", "prd")
	require.NoError(t, e.Control().CreateOrganization(t.Context(), kept, keptKeys))
	deleted := time.Now().UTC()
	_, err := e.Control().ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error { o.DeletedAt = deleted; return nil })
	require.NoError(t, err)
	require.NoError(t, e.erase(t.Context(), deleted.Add(erasedAfter-1)))
	require.True(t, holds(t, dir, "CANARYNAME"), "it is still known whose spans are to go")
	require.NoError(t, e.Shutdown(t.Context()))

	e = start(t, testConfig(dir))
	erased := deleted.Add(erasedAfter)
	for range 2 {
		require.NoError(t, e.erase(t.Context(), erased))
		erased = erased.Add(time.Hour)
	}
	all, err := e.Control().Organizations(t.Context(), org.ID)
	require.NoError(t, err)
	require.Equal(t, deleted.Add(erasedAfter), all[0].ErasedAt, "once")
	for _, canary := range []string{"CANARYNAME", "CANARYSLUG", "CANARYSETUP", "CANARYPROMPT"} {
		require.False(t, holds(t, dir, canary), canary)
	}
	require.True(t, holds(t, dir, "KEPTNAME"))
	_, err = e.Control().Key(t.Context(), keptKeys[0].Digest)
	require.NoError(t, err)
}
