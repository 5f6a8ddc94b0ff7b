// SPDX-License-Identifier: Apache-2.0

package move_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// origin is a data directory that was lived in.
type origin struct {
	dir     string
	spans   *duckdb.DB
	control *sqldb.DB
	owed    *backlog.Backlog
	engine  store.Engine // that the backlog hears of
	envs    []tenant.Environment
	now     time.Time
	some    []span.Span // that are stored in the first environment
}

// open opens the stores as a process does.
func (h *origin) open(t *testing.T) {
	t.Helper()
	var err error
	h.spans, err = duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(h.dir, "spans"), MinFreeBytes: -1, PartitionRows: 150})
	require.NoError(t, err)
	h.control, err = sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(h.dir, "control.db")})
	require.NoError(t, err)
	h.owed, err = backlog.Open(t.Context(), h.spans, time.Now)
	require.NoError(t, err)
	h.engine = h.owed.Over(h.spans)
}

func (h *origin) close(t *testing.T) {
	t.Helper()
	require.NoError(t, h.engine.Close())
	require.NoError(t, h.control.Close())
}

// built is the origin that all tests have copies of.
var built struct {
	once   sync.Once
	origin origin
}

// newOrigin returns an origin in which all lies that a move has to find, closed: three classes
// of retention, spans that came late, came again or went, verdicts with predecessors, opinions,
// pending evaluations, and messages that came apart. It is built once, and copied.
func newOrigin(t *testing.T, dir string) *origin {
	t.Helper()
	built.once.Do(func() {
		at, err := os.MkdirTemp("", "origin-*") //nolint:usetesting // it goes with the last test
		require.NoError(t, err)
		built.origin.dir = at
		h := &origin{dir: at, now: time.Now()}
		h.open(t)
		h.people(t)
		h.documents(t)
		h.fill(t)
		h.judge(t)
		h.say(t)
		h.part(t)
		h.odd(t)
		h.close(t)
		built.origin = *h
	})
	from := &built.origin
	require.NotEmpty(t, from.some, "it could not be built")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from.dir)))
	return &origin{dir: dir, envs: from.envs, now: from.now, some: from.some}
}

// people makes two organizations with environments of three classes of retention, one that
// was deleted, and what is secret.
func (h *origin) people(t *testing.T) {
	t.Helper()
	for i, name := range []string{"acme", "bolt", "gone"} {
		org, keys := storetest.NewOrganization(name, "day", "week", "month")
		org.CreatedAt = org.CreatedAt.Add(time.Duration(i) * time.Second)
		for j, retention := range []time.Duration{24 * time.Hour, 168 * time.Hour, 720 * time.Hour} {
			org.Projects[0].Environments[j].Retention = retention
			org.Projects[0].Environments[j].Quota.StoredBytes = int64(i + j)
		}
		keys[1].RevokedAt, keys[2].UsedAt = h.now, h.now.Add(-time.Hour)
		require.NoError(t, h.control.CreateOrganization(t.Context(), org, keys))
		h.envs = append(h.envs, org.Projects[0].Environments...)
	}
	_, err := h.control.Secret(t.Context(), "cursor")
	require.NoError(t, err)
	require.NoError(t, h.control.RenewAccessToken(t.Context(), tenant.DigestOf("first"), false))
	require.NoError(t, h.control.RenewAccessToken(t.Context(), tenant.DigestOf("second"), true))
}

func (h *origin) documents(t *testing.T) {
	t.Helper()
	setups, evaluators := store.Setups(h.control), store.Evaluators(h.control)
	for _, env := range h.envs {
		s := storetest.NewSetup(env, "all")
		require.NoError(t, setups.Create(t.Context(), s))
		s.Generation = 7
		s.Evaluators[0].Status, s.Evaluators[0].ProcessedAt = monitor.Completed, h.now
		s, err := setups.Replace(t.Context(), s)
		require.NoError(t, err)
		require.NoError(t, store.Backfills(h.control).Create(t.Context(), storetest.NewBackfill(s, "backfill of "+s.ID)))
		e := storetest.NewEvaluator(env, "polite")
		require.NoError(t, evaluators.Create(t.Context(), e))
		for range 3 {
			e.VersionID = fmt.Sprintf("%s#%d", e.ID, e.Version+1)
			e, err = evaluators.Replace(t.Context(), e)
			require.NoError(t, err)
		}
		who := []map[string]string{{"user": "u-1"}}
		require.NoError(t, store.Deletions(h.control).Create(t.Context(), store.Deletion{ID: "deletion of " + string(env.ID), EnvironmentID: env.ID, Who: who}))
		require.NoError(t, store.AllowLists(h.control).Create(t.Context(), store.AllowList{ID: "list of " + string(env.ID), EnvironmentID: env.ID, People: who}))
	}
	_, err := h.control.ChangeOrganization(t.Context(), "id of gone", func(o *tenant.Organization) error {
		o.DeletedAt = h.now
		return nil
	})
	require.NoError(t, err)
}

func (h *origin) write(t *testing.T, b store.Batch) store.Written {
	t.Helper()
	w, err := h.engine.Write(t.Context(), b)
	require.NoError(t, err)
	return w
}

// fill stores spans of all environments, in no order of their starts, some of which are past
// their retention.
func (h *origin) fill(t *testing.T) {
	t.Helper()
	g := spangen.New(spangen.Options{Seed: 7, Start: h.now.Add(-22 * time.Hour), Period: time.Minute})
	r := rand.New(rand.NewPCG(1, 2))
	var records []store.Record
	for i := range 1200 {
		_, s := g.Next()
		env := h.envs[i%len(h.envs)]
		if s.Environment, s.Arrived = env.Slug, s.Start+int64(r.IntN(1e9)); i%2 == 0 {
			s.Start -= s.Start % 1e6 // as clocks of milliseconds tell it
		}
		records = append(records, storetest.Record(env, s, g.Evaluations(&s)...))
		if env.ID == h.envs[0].ID {
			h.some = append(h.some, s)
		}
	}
	for i, env := range h.envs {
		s := storetest.RichSpan(env, i)
		s.Start = h.now.Add(-env.Retention - time.Hour).UnixNano()
		records = append(records, storetest.Record(env, s, storetest.Verdict("set_1", "char-count", s.Start, "char_count", int64(3))))
	}
	r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for len(records) > 0 {
		n := min(1+r.IntN(80), len(records))
		h.write(t, store.Batch{Records: records[:n]})
		records = records[n:]
	}
}

// judge leaves evaluations with predecessors, some that failed, were put off or wait, and
// some that are pending on a span that was replaced.
func (h *origin) judge(t *testing.T) {
	t.Helper()
	for i, env := range h.envs {
		for n := range 12 {
			s := storetest.RichSpan(env, 100*i+n)
			s.Start = h.now.Add(-time.Duration(n+1) * time.Hour).UnixNano()
			asked := storetest.Deferred("set_2", "judge", h.now.Add(-time.Minute))
			other := storetest.Deferred("set_2", "other", h.now.Add(-2*time.Minute))
			skipped := eval.Evaluation{SetupID: "set_3", Evaluator: "json-validator", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: h.now.UnixNano(), Probability: 0.25}
			h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, s, asked, other, skipped)}})
			complete := func(v eval.Evaluation) {
				require.NoError(t, h.owed.Complete(t.Context(), []store.Evaluated{storetest.Owed(env, s, v)}))
			}
			judged := storetest.Judged(asked, h.now)
			switch n % 6 {
			case 0:
				complete(judged)
			case 1:
				for again := range 3 { // each a revision more
					judged.Generation, judged.Time = int64(again+2), h.now.Add(time.Duration(again)*time.Second).UnixNano()
					judged.Outputs = []eval.Output{
						{Name: "score", Value: float64(again) + 0.1}, {Name: "label", Value: "l\u00e9"}, {Name: "n", Value: int64(again)}, {Name: "ok", Value: again == 1},
					}
					complete(judged)
				}
			case 2:
				complete(storetest.PutOff(asked, "the server said no", h.now.Add(time.Hour)))
			case 3:
				judged.Status, judged.Reason, judged.Outputs = eval.Failed, "given up", nil
				complete(judged)
			case 4: // sent again as another: what was made of it goes
				complete(judged)
				s.Name = "renamed"
				w := h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, s, other)}})
				require.Len(t, w.Replaced, 1)
			}
		}
	}
}

// say leaves opinions of SDKs and people, with predecessors, and some that wait for their spans.
func (h *origin) say(t *testing.T) {
	t.Helper()
	book, err := opinions.Open(t.Context(), h.engine, h.control, time.Now)
	require.NoError(t, err)
	for i, s := range h.some {
		if i%10 != 0 {
			continue
		}
		for again := range 2 {
			var list []eval.Evaluation
			for _, source := range []eval.EvaluationSource{eval.FromSDK, eval.FromHuman} {
				o := opinion.Opinion{
					Source: source, By: "ann", Name: "helpful", Time: h.now.Add(time.Duration(again) * time.Second).UnixNano(),
					Outputs: []eval.Output{{Name: opinion.Score, Value: float64(again)}, {Name: opinion.Label, Value: "yes"}},
				}
				v, err := o.Evaluation()
				require.NoError(t, err)
				list = append(list, v)
			}
			require.NoError(t, book.Add(t.Context(), h.envs[0], []opinions.Given{
				{TraceID: s.TraceID, SpanID: s.SpanID, Evaluations: list}, {TraceID: span.TraceID{0xee, byte(i)}, SpanID: span.ID{1}, Evaluations: list},
			}))
		}
	}
}

// part leaves messages apart from their spans, before and after these, more than once, and
// without any.
func (h *origin) part(t *testing.T) {
	t.Helper()
	for i, env := range h.envs {
		for n := range 6 {
			s := storetest.Span(env, 10_000+100*i+n)
			s.Start = h.now.Add(-time.Duration(n) * 10 * time.Minute).UnixNano()
			m := store.Messages{
				Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start + 1,
				Prompts: storetest.Attributes("llm.prompts.0.role", "user", "llm.prompts.0.content", fmt.Sprintf("What is %d?", n)),
			}
			later := m
			later.Time += 10
			later.Prompts = storetest.Attributes("llm.prompts.0.content", "What is it really?")
			later.Completions = storetest.Attributes("llm.completions.0.content", "Nothing.")
			h.write(t, store.Batch{Messages: []store.Messages{later}})
			if n%3 != 0 {
				h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, s)}})
			}
			h.write(t, store.Batch{Messages: []store.Messages{m}})
		}
	}
}

// odd leaves spans of the same ids in other periods, of texts that are none, and takes some away.
func (h *origin) odd(t *testing.T) {
	t.Helper()
	env := h.envs[2]
	for n := range 3 {
		s := storetest.RichSpan(env, 20_000)
		s.Start = h.now.Add(-time.Duration(n) * 20 * time.Minute).UnixNano()
		h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, s, storetest.Verdict("set_1", "char-count", s.Start, "char_count", int64(n)))}})
	}
	s := storetest.RichSpan(env, 20_001)
	s.Start, s.Name, s.Input = h.now.UnixNano(), "a\xff\u2028b", "nul \x00, quote ', \\"
	s.Attributes = s.Attributes.With("odd\xfe", "\xc3\x28").With("empty too", "")
	s.Cost, s.InputTokens = 1<<62, span.NoTokens
	h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, s)}})
	ahead := storetest.RichSpan(env, 20_002)
	ahead.Start = h.now.Add(300 * 24 * time.Hour).UnixNano() // a clock that is wrong
	h.write(t, store.Batch{Records: []store.Record{storetest.Record(env, ahead)}})
	var gone []span.Key
	for i, s := range h.some {
		if i%7 == 3 {
			gone = append(gone, s.Key())
		}
	}
	require.NoError(t, h.engine.Delete(t.Context(), h.envs[0].ID, store.Part{Spans: gone}))
}
