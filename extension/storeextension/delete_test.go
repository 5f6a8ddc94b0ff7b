// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/deletions"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ofPerson are spans of a person with two revisions of a verdict, a pending one and
// messages that came apart; the person's name is in all of them.
func ofPerson(t *testing.T, e *storeExtension, env tenant.Environment, name string, from, n int) {
	t.Helper()
	records := spansOf(env, name+"SPAN", from, n)
	var batch store.Batch
	for i := range records {
		s := &records[i].Span
		s.Attributes = span.NewAttributes([]span.Attribute{{Key: "traceloop.association.properties.userId", Value: name}})
		records[i].Evaluations[0].SetupID = "set"
		records[i].Evaluations = append(records[i].Evaluations, storetest.Verdict("set", "made", s.Start, "o", name+"VERDICT"))
		batch.Messages = append(batch.Messages, store.Messages{
			Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start, Prompts: storetest.Attributes("llm.prompts.0.content", name+"LOGGED"),
		})
		again := storetest.Verdict("set", "made", s.Start+1, "o", name+"AGAIN")
		again.Revision = 1
		batch.Evaluations = append(batch.Evaluations, store.Evaluated{Environment: env.ID, Span: s.Key(), Evaluations: []eval.Evaluation{again}})
	}
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), records))
	_, err := e.Engine().Write(t.Context(), batch)
	require.NoError(t, err)
}

// A deletion that one process took up is finished by the next, what came meanwhile
// included, and no byte of the person is in any file of the data directory then.
func TestNothingOfADeletedPersonIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begin := func() *storeExtension {
		e := start(t, testConfig(dir))
		stopRounds(e) // the test does its rounds by a clock of its own
		return e
	}
	e := begin()
	org, keys := storetest.NewOrganization("acme", "prd", "dev")
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	env, other := keys[0].Environment, keys[1].Environment
	ofPerson(t, e, env, "CANARY", 0, 20)
	ofPerson(t, e, env, "KEPT", 100, 20)
	ofPerson(t, e, other, "ELSEWHERE", 0, 5)
	canaries := []string{"CANARYSPAN", "CANARYVERDICT", "CANARYAGAIN", "CANARYLOGGED", "CANARY"}
	for _, canary := range canaries {
		require.True(t, holds(t, dir, canary), canary)
	}
	now := time.Now()
	forgotten := 0
	book := func() *deletions.Book {
		return deletions.New(e.Engine(), e.control, "test", func() { forgotten++ }, func() time.Time { return now })
	}
	b := book()
	id, err := b.Request(t.Context(), env.ID, []map[string]string{{"userId": "CANARY"}})
	require.NoError(t, err)
	require.NoError(t, b.Round(t.Context()))
	require.Equal(t, 1, forgotten)
	d, err := b.Get(t.Context(), env.ID, id)
	require.NoError(t, err)
	require.True(t, d.CompletedAt.IsZero(), "something may be on its way")
	require.EqualValues(t, 20, d.Deleted)
	require.EqualValues(t, 20, d.Total)
	require.False(t, holds(t, dir, "CANARYSPAN"), "at once")
	require.NoError(t, e.Shutdown(t.Context()))

	e = begin()
	b = book()
	ofPerson(t, e, env, "CANARY", 30, 3) // late
	require.NoError(t, b.Round(t.Context()))
	d, err = b.Get(t.Context(), env.ID, id)
	require.NoError(t, err)
	require.EqualValues(t, 20, d.Deleted, "its time has not come")
	now = now.Add(deletions.Arriving)
	require.NoError(t, b.Round(t.Context()))
	d, err = b.Get(t.Context(), env.ID, id)
	require.NoError(t, err)
	require.False(t, d.CompletedAt.IsZero())
	require.Empty(t, d.Who)
	require.EqualValues(t, 23, d.Deleted)
	require.EqualValues(t, 23, d.Total)
	for _, canary := range canaries {
		require.False(t, holds(t, dir, canary), canary)
	}
	for _, kept := range []string{"KEPTSPAN", "KEPTVERDICT", "KEPTAGAIN", "KEPTLOGGED", "ELSEWHERESPAN"} {
		require.True(t, holds(t, dir, kept), kept)
	}
	for env, want := range map[tenant.Environment]int64{env: 20, other: 5} {
		progress, err := store.ReadProgress(t.Context(), e.Engine(), env)
		require.NoError(t, err)
		require.Equal(t, want, progress.OwedEvaluations)
	}
	now = now.Add(deletions.Kept)
	require.NoError(t, b.Round(t.Context()))
	_, err = b.Get(t.Context(), env.ID, id)
	require.Error(t, err, "it is not remembered for ever")
}
