// SPDX-License-Identifier: Apache-2.0

package move_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/move"
	"github.com/touchstone-otel/touchstone/internal/store/sqlbacklog"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) {
	clickhousetest.Serve()
	code := clickhousetest.With(postgrestest.Main(m)).Run()
	_ = os.RemoveAll(built.origin.dir)
	os.Exit(code)
}

// servers are where an origin is moved to.
type servers struct {
	spans   *clickhouse.DB
	control *sqldb.DB
	owed    *sqlbacklog.Backlog
}

func newServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{}
	var err error
	s.spans, err = clickhouse.Open(t.Context(), clickhouse.Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.spans.Close()) })
	s.control, err = sqldb.OpenPostgres(t.Context(), sqldb.Postgres{DSN: postgrestest.One(t).Database(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.control.Close()) })
	s.owed, err = sqlbacklog.Open(s.control, s.spans, time.Now)
	require.NoError(t, err)
	return s
}

func (s *servers) target() move.Target {
	return move.Target{Spans: s.spans, Control: s.control, Backlog: s.owed}
}

// source opens an origin for a move until the test ends or the function is called.
func (h *origin) source(t *testing.T) move.Source {
	t.Helper()
	var err error
	h.spans, err = duckdb.OpenKept(t.Context(), duckdb.Config{Dir: filepath.Join(h.dir, "spans"), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.spans.Close()) })
	h.control, err = sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(h.dir, "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.control.Close()) })
	return move.Source{Spans: h.spans, Control: h.control}
}

func run(t *testing.T, from move.Source, to move.Target) (*move.Result, error) {
	t.Helper()
	return move.Run(t.Context(), from, to, time.Now, func(move.Progress) {})
}

func TestAStoreIsMoved(t *testing.T) {
	t.Parallel()
	h, s := newOrigin(t, t.TempDir()), newServers(t)
	source := h.source(t)
	steps := map[string]move.Progress{}
	r, err := move.Run(t.Context(), source, s.target(), time.Now, func(p move.Progress) { steps[p.Step] = p })
	require.NoError(t, err)
	require.False(t, r.Already)
	require.Len(t, r.Environments, 6, "those of the deleted organization stay")
	for _, e := range r.Environments {
		require.True(t, e.Equal, "%+v", e)
		require.Greater(t, e.Source.Spans, int64(60))
		require.Greater(t, e.Source.Evaluations, 2*e.Source.Spans)
		require.Positive(t, e.Source.Messages)
		require.Positive(t, e.Source.Owed)
	}
	require.EqualValues(t, 6, r.Left.ExpiredSpans)
	require.Greater(t, r.Left.OwnerlessSpans, int64(300))
	require.Positive(t, r.Left.OwnerlessMessages)
	for _, step := range []string{move.StepSpans, move.StepMessages, move.StepSource, move.StepTarget} {
		require.Positive(t, steps[step].Total, step)
		require.Equal(t, steps[step].Total, steps[step].Done, step)
	}
	requireAlike(t, h, s)

	// What was done stays as it is, and says so, whatever became of the target since.
	require.NoError(t, s.spans.Delete(t.Context(), h.envs[1].ID, store.Part{Everything: true}))
	again, err := run(t, source, s.target())
	require.NoError(t, err)
	require.True(t, again.Already)
	r.Already = true
	require.Equal(t, r, again)
	n, err := s.spans.Search(t.Context(), h.envs[1], query.Query{Order: query.Order{By: query.SortTimestamp}, To: math.MaxInt64, Total: true})
	require.NoError(t, err)
	require.Zero(t, n.Total)
}

// requireAlike compares what both sides answer.
func requireAlike(t *testing.T, h *origin, s *servers) {
	t.Helper()
	for _, env := range h.envs {
		if env.OrganizationID == "id of gone" {
			continue
		}
		requireSpansAlike(t, h, s, env)
		requireOwedAlike(t, h, s, env)
	}
	requireControlAlike(t, h, s)
}

func requireSpansAlike(t *testing.T, h *origin, s *servers, env tenant.Environment) {
	t.Helper()
	pages := func(from storetest.Searcher, q query.Query) (list []span.Span, keys []store.Location) {
		for page, err := range storetest.Pages(t.Context(), from, env, q) {
			require.NoError(t, err)
			list = append(list, page.Spans...)
		}
		for i := range list {
			keys = append(keys, store.Location{Environment: env.ID, Span: list[i].Key()})
		}
		return list, keys
	}
	for _, q := range []query.Query{
		{Order: query.Order{By: query.SortTimestamp}},
		{Order: query.Order{By: query.SortTimestamp, Descending: true}},
		{
			Order:   query.Order{By: query.SortTimestamp},
			Filters: []query.Filter{{Field: query.Field{Kind: query.FieldEvaluation, Name: "judge", Output: "score"}, Operator: query.OpExists}},
		},
	} {
		q.From, q.To, q.Limit = math.MinInt64, math.MaxInt64, 100
		want, keys := pages(h.spans, q)
		got, _ := pages(s.spans, q)
		require.NotEmpty(t, want)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, tidy(want[i]), tidy(got[i]))
		}
		evaluated, err := h.spans.Evaluations(t.Context(), keys, math.MinInt64, store.AllRevisions)
		require.NoError(t, err)
		moved, err := s.spans.Evaluations(t.Context(), keys, math.MinInt64, store.AllRevisions)
		require.NoError(t, err)
		require.Len(t, moved, len(evaluated))
		for i := range evaluated {
			require.Equal(t, evaluated[i].Content, moved[i].Content)
			require.ElementsMatch(t, evaluated[i].Evaluations, moved[i].Evaluations)
		}
	}
	spent := func(from store.Aggregator) float64 {
		usd, err := store.ReadSpent(t.Context(), from, env.ID, "", time.Time{})
		require.NoError(t, err)
		return usd
	}
	require.InDelta(t, spent(h.spans), spent(s.spans), 1e-9)
}

// tidy returns a span of which empty lists are nil.
func tidy(s span.Span) span.Span {
	for _, list := range []*span.Attributes{&s.Resource, &s.Attributes, &s.Prompts, &s.Completions} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return s
}

func requireOwedAlike(t *testing.T, h *origin, s *servers, env tenant.Environment) {
	t.Helper()
	list := func(from store.Engine) (all []store.Due) {
		page, err := from.Owed(t.Context(), env.ID, store.Due{At: math.MinInt64}, 1000)
		require.NoError(t, err)
		require.False(t, page.More)
		for _, d := range page.List {
			d.Ref = 0
			all = append(all, d)
		}
		return all
	}
	require.ElementsMatch(t, list(h.spans), list(s.spans))
}

func requireControlAlike(t *testing.T, h *origin, s *servers) {
	t.Helper()
	organizations := func(c *sqldb.DB) []tenant.Organization {
		list, err := c.Organizations(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 3)
		return list
	}
	require.Equal(t, organizations(h.control), organizations(s.control))
	keys := func(c *sqldb.DB) []tenant.Key {
		list, err := c.Keys(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 6)
		return list
	}
	require.Equal(t, keys(h.control), keys(s.control))
	for _, kind := range []store.Kind{store.SetupKind, store.EvaluatorKind, store.BackfillKind, store.OpinionsKind, store.DeletionKind, store.AllowListKind} {
		documents := func(c *sqldb.DB) []store.Document {
			list, err := c.List(t.Context(), store.DocumentFilter{Kind: kind})
			require.NoError(t, err)
			require.NotEmpty(t, list)
			return list
		}
		require.Equal(t, documents(h.control), documents(s.control), kind)
	}
	version := func(c *sqldb.DB, n string) eval.CustomEvaluator {
		e, err := store.Evaluators(c).Revision(t.Context(), h.envs[0].ID, "polite", n)
		require.NoError(t, err)
		return e
	}
	for _, n := range []string{"1", "2", "4"} {
		require.Equal(t, version(h.control, n), version(s.control, n))
	}
	secret := func(c *sqldb.DB) []byte {
		b, err := c.Secret(t.Context(), "cursor")
		require.NoError(t, err)
		return b
	}
	require.Equal(t, secret(h.control), secret(s.control))
	tokens, err := s.control.AccessTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, []tenant.Digest{tenant.DigestOf("second"), tenant.DigestOf("first")}, tokens)
}

// What was moved goes on as if it had been written there: spans that are sent again are the
// same, verdicts get the next revision, pending evaluations are leased, and documents come behind
// those that there are.
func TestLifeGoesOnAfterAMove(t *testing.T) {
	t.Parallel()
	h, s := newOrigin(t, t.TempDir()), newServers(t)
	source := h.source(t)
	_, err := run(t, source, s.target())
	require.NoError(t, err)
	engine, env := s.owed.Over(s.spans), h.envs[0]
	at := []store.Location{{Environment: env.ID, Span: h.some[0].Key()}}
	before, err := engine.Evaluations(t.Context(), at, 0, store.AllRevisions)
	require.NoError(t, err)
	require.Len(t, before, 1)
	w, err := engine.Write(t.Context(), store.Batch{Records: []store.Record{storetest.Record(env, h.some[0])}})
	require.NoError(t, err)
	require.Empty(t, w.Replaced, "sent again")
	after, err := engine.Evaluations(t.Context(), at, 0, store.AllRevisions)
	require.NoError(t, err)
	require.Equal(t, before, after)

	stats, err := s.owed.Stats(t.Context())
	require.NoError(t, err)
	leased, err := s.owed.Lease(t.Context(), time.Now(), time.Now().Add(time.Minute), 1000)
	require.NoError(t, err)
	n := int64(0)
	for _, x := range leased {
		n += int64(len(x.Evaluations))
	}
	require.Positive(t, n)
	require.Less(t, n, stats.Evaluations, "some are put off")
	putAgain := func() { // as a move would that was not recorded
		require.NoError(t, source.Spans.KeptSpans(t.Context(), store.Place{}, func(list []store.Kept, _ store.Place) error {
			return s.spans.PutSpans(t.Context(), list, h.now.UnixNano())
		}))
	}
	judged := storetest.Judged(leased[0].Evaluations[0], time.Now())
	for want := range 2 {
		x := leased[0]
		judged.Generation, judged.Outputs = int64(want+1), []eval.Output{{Name: "score", Value: float64(want)}}
		judged.Time++
		x.Evaluations = []eval.Evaluation{judged}
		require.NoError(t, s.owed.Complete(t.Context(), []store.Evaluated{x}))
		putAgain()
		now, err := engine.Evaluations(t.Context(), []store.Location{x.Location()}, 0, store.Latest)
		require.NoError(t, err)
		revision := int64(-1)
		for _, v := range now[0].Evaluations {
			if v.SetupID == judged.SetupID && v.Evaluator == judged.Evaluator {
				require.Equal(t, eval.Done, v.Status)
				revision = v.Revision
			}
		}
		require.EqualValues(t, want, revision)
	}
	require.NoError(t, store.Setups(s.control).Create(t.Context(), storetest.NewSetup(env, "another")))
}

// stumbling is a source that fails after some pages.
type stumbling struct {
	store.Source
	pages *int
}

var errStumbled = errors.New("stumbled")

func (s stumbling) step() error {
	if *s.pages--; *s.pages < 0 {
		return errStumbled
	}
	return nil
}

func (s stumbling) KeptSpans(ctx context.Context, behind store.Place, f func([]store.Kept, store.Place) error) error {
	return s.Source.KeptSpans(ctx, behind, func(list []store.Kept, last store.Place) error { return errors.Join(f(list, last), s.step()) })
}

func (s stumbling) KeptMessages(ctx context.Context, behind store.Place, f func([]store.KeptMessages, store.Place) error) error {
	return s.Source.KeptMessages(ctx, behind, func(list []store.KeptMessages, last store.Place) error {
		return errors.Join(f(list, last), s.step())
	})
}

// A move that is interrupted after every few pages comes to the same end.
func TestAMoveGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	h, s := newOrigin(t, t.TempDir()), newServers(t)
	source := h.source(t)
	stops := 0
	for pages := 1; ; pages++ {
		left := pages
		whole := move.Source{Spans: stumbling{source.Spans, &left}, Control: source.Control}
		r, err := run(t, whole, s.target())
		if err == nil {
			require.True(t, r.Equal())
			require.EqualValues(t, 6, r.Left.ExpiredSpans, "nothing was counted twice")
			break
		}
		require.ErrorIs(t, err, errStumbled)
		organizations, err := s.control.Organizations(t.Context())
		require.NoError(t, err)
		require.Empty(t, organizations, "no request is served before all is there")
		stops++
	}
	require.Greater(t, stops, 5)
	requireAlike(t, h, s)
}

// lossy is a target that loses a span.
type lossy struct {
	store.Destination
	lost *bool
}

func (l lossy) PutSpans(ctx context.Context, list []store.Kept, at int64) error {
	if !*l.lost && len(list) > 0 && len(list[0].Evaluations) > 0 {
		*l.lost = true
		list[0].Evaluations = list[0].Evaluations[1:]
	}
	return l.Destination.PutSpans(ctx, list, at)
}

func TestADifferenceIsFound(t *testing.T) {
	t.Parallel()
	h, s := newOrigin(t, t.TempDir()), newServers(t)
	to := s.target()
	to.Spans = lossy{s.spans, new(bool)}
	r, err := run(t, h.source(t), to)
	require.ErrorContains(t, err, "what the target has is not what the source has")
	require.NotNil(t, r)
	unequal := 0
	for _, e := range r.Environments {
		if !e.Equal {
			unequal++
			require.NotEqual(t, e.Source.Digest, e.Target.Digest)
			require.Equal(t, e.Source.Evaluations, e.Target.Evaluations+1)
		}
	}
	require.Equal(t, 1, unequal)
	organizations, err := s.control.Organizations(t.Context())
	require.NoError(t, err)
	require.Empty(t, organizations)
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	h := newOrigin(t, t.TempDir())
	source := h.source(t)
	for name, row := range map[string]struct {
		before func(t *testing.T, s *servers)
		want   string
	}{
		"organizations": {func(t *testing.T, s *servers) {
			t.Helper()
			org, keys := storetest.NewOrganization("other", "prd")
			require.NoError(t, s.control.CreateOrganization(t.Context(), org, keys))
		}, "the target serves organizations already"},
		"spans": {func(t *testing.T, s *servers) {
			t.Helper()
			env := storetest.Environment("other")
			x := storetest.Span(env, 1)
			x.Start = time.Now().UnixNano()
			_, err := s.spans.Write(t.Context(), store.Batch{Records: []store.Record{storetest.Record(env, x)}})
			require.NoError(t, err)
		}, "the target has spans already"},
		"another move": {func(t *testing.T, s *servers) {
			t.Helper()
			require.NoError(t, s.control.NoteMove(t.Context(), []byte(`{"origin":"another"}`)))
		}, "the target has a move from another source"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServers(t)
			row.before(t, s)
			_, err := run(t, source, s.target())
			require.ErrorContains(t, err, row.want)
			require.True(t, fault.Is(err, fault.Conflict))
		})
	}
}

func TestAnEmptyStoreIsRefused(t *testing.T) {
	t.Parallel()
	h := &origin{dir: t.TempDir()}
	_, err := run(t, h.source(t), newServers(t).target())
	require.ErrorContains(t, err, "the source has no organization")
}
