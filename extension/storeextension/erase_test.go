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
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// holds reports whether any file of the data directory has a text.
func holds(t *testing.T, dir, text string) bool {
	t.Helper()
	found := false
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, []byte(text))
		return err
	}))
	return found
}

// spansOf makes spans that have a text in them, and owe an evaluation.
func spansOf(env tenant.Environment, text string, from, n int) []store.Record {
	var list []store.Record
	for i := range n {
		list = append(list, store.Record{Environment: env, Span: span.Span{
			Environment: env.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{1, byte(from + i)}, Name: text, Input: text, Start: time.Now().UnixNano(),
			InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
			Resource: span.NewAttributes([]span.Attribute{{Key: text + "KEY", Value: text}}),
		}, Evaluations: []eval.Evaluation{{SetupID: text + "ID", Evaluator: "tone", Status: eval.Deferred, Due: time.Now().UnixNano(), Time: time.Now().UnixNano()}}})
	}
	return list
}

// forgetter counts how often it is asked to forget.
type forgetter struct{ told int }

func (f *forgetter) ForgetAnswers() { f.told++ }

// A deletion that one process began is finished by the next, and no byte of the
// organization is in any file of the data directory then.
func TestNothingOfADeletedOrganizationIsLeft(t *testing.T) {
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
	both := append(spansOf(keys[0].Environment, "CANARYSPAN", 0, 20), spansOf(keptKeys[0].Environment, "KEPTSPAN", 0, 20)...)
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), both))
	canaries := []string{"CANARYNAME", "CANARYSLUG", "CANARYSETUP", "CANARYPROMPT", "CANARYSPAN"}
	for _, canary := range canaries {
		require.True(t, holds(t, dir, canary), canary)
	}

	deleted := time.Now().UTC()
	_, err := e.Control().ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error { o.DeletedAt = deleted; return nil })
	require.NoError(t, err)
	judge := &forgetter{}
	e.forgetful = append(e.forgetful, judge)
	require.NoError(t, e.erase(t.Context(), deleted.Add(erasedAfter-1)))
	require.Equal(t, 1, judge.told, "answers that a judge gave of its spans")
	require.False(t, holds(t, dir, "CANARYSPAN"), "at once")
	require.True(t, holds(t, dir, "CANARYNAME"), "it is still known whose spans are to go")
	stats, err := e.Backlog().Stats(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 20, stats.Evaluations)
	require.NoError(t, e.Shutdown(t.Context()))

	e = start(t, testConfig(dir))
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), spansOf(keys[0].Environment, "CANARYSPAN", 20, 3)), "late")
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), spansOf(keptKeys[0].Environment, "KEPTSPAN", 20, 3)))
	for range 2 {
		require.NoError(t, e.erase(t.Context(), deleted.Add(erasedAfter)))
	}
	all, err := e.Control().Organizations(t.Context(), org.ID)
	require.NoError(t, err)
	require.False(t, all[0].ErasedAt.IsZero())
	for _, canary := range canaries {
		require.False(t, holds(t, dir, canary), canary)
	}
	require.True(t, holds(t, dir, "KEPTNAME"))
	require.True(t, holds(t, dir, "KEPTSPAN"))
	progress, err := store.ReadProgress(t.Context(), e.Engine(), keptKeys[0].Environment)
	require.NoError(t, err)
	require.EqualValues(t, 23, progress.OwedEvaluations)
	_, err = e.Control().Key(t.Context(), keptKeys[0].Digest)
	require.NoError(t, err)
}
