// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// failing is an engine whose writes come to an error, nil for none.
type failing struct {
	store.Engine
	err error
}

func (f *failing) Write(context.Context, store.Batch) (store.Written, error) {
	return store.Written{}, f.err
}

func TestWhatIsWrittenIsCounted(t *testing.T) {
	t.Parallel()
	e := &storeExtension{}
	engine := &failing{}
	n := &noted{Engine: engine, writes: &writes{}, taken: &e.taken, queries: queries.New(engine, nil, queries.Limits{})}
	write := func(err error) {
		engine.err = err
		_, got := n.Write(t.Context(), store.Batch{
			Records:     []store.Record{{Evaluations: make([]eval.Evaluation, 2)}, {}},
			Evaluations: []store.Evaluated{{Evaluations: make([]eval.Evaluation, 1)}},
		})
		require.ErrorIs(t, got, err)
	}
	write(nil)
	require.Equal(t, store.Intake{Spans: 2, Evaluations: 3}, e.Intake())
	write(fault.New(fault.Unavailable, "the disk is full"))
	require.Equal(t, store.Intake{Spans: 2, Evaluations: 3, Refused: 2}, e.Intake())
	write(context.Canceled)
	require.Equal(t, store.Intake{Spans: 2, Evaluations: 3, Refused: 2}, e.Intake())
}

func TestSpaceIsThatOfTheSpans(t *testing.T) {
	t.Parallel()
	e := start(t, testConfig(filepath.Join(t.TempDir(), "data")))
	before, err := e.Space()
	require.NoError(t, err)
	require.Positive(t, before.Free)
	require.Zero(t, before.Files)
	org, keys := storetest.NewOrganization("acme", "prd")
	env := keys[0].Environment
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{{Environment: env, Span: span.Span{
		Environment: env.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{1}, Name: "chat", Start: time.Now().UnixNano(),
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
	}}}))
	// What waits in the journal has a file of spans before anybody reads it.
	_, err = e.Engine().Search(t.Context(), env, query.Query{Subject: query.Spans, Limit: 1, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}})
	require.NoError(t, err)
	after, err := e.Space()
	require.NoError(t, err)
	require.EqualValues(t, 1, after.Files)
	require.Greater(t, after.Bytes, before.Bytes)
	require.EqualValues(t, 1, e.Intake().Spans)
}
