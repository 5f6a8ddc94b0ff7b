// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// variety makes spans, evaluations and filters of few texts, so that they meet.
type variety struct {
	*rand.Rand
	envs []tenant.Environment
	clk  *clock
}

var (
	varietyKeys   = []string{"customer", "plan", "service.version", "llm.request.model", span.AliasRequestModel, span.AliasTotalTokens, "k'ey", "ключ"}
	varietyValues = []string{"", "a", "b", "true", "1", "1.0", "gpt-4o", "7", strings.Repeat("v", index.Longest), strings.Repeat("v", index.Longest+1), "x'y", "é"}
	varietyModels = []string{"", "gpt-4o", "a"}
	varietyNames  = [][2]string{{"tone", "label"}, {"tone", "score"}, {"length", "n"}, {"check", "ok"}, {"mixed", "v"}}
)

func pick[T any](v *variety, list []T) T { return list[v.IntN(len(list))] }

func (v *variety) attributes(most int) span.Attributes {
	seen := map[string]bool{}
	var list []span.Attribute
	for range v.IntN(most + 1) {
		if k := pick(v, varietyKeys); !seen[k] {
			seen[k] = true
			list = append(list, span.Attribute{Key: k, Value: pick(v, varietyValues)})
		}
	}
	return span.NewAttributes(list)
}

func (v *variety) record(n int) store.Record {
	r := numbered(pick(v, v.envs), n, v.clk.ago(time.Duration(n)*time.Second))
	s := &r.Span
	s.Environment = r.Environment.Slug
	s.Service = pick(v, []string{"", "shop", "mail"})
	s.StatusCode = pick(v, []string{"STATUS_CODE_OK", "STATUS_CODE_ERROR"})
	s.RequestModel = pick(v, varietyModels)
	if v.IntN(2) == 0 {
		s.TotalTokens = int64(v.IntN(9))
	}
	s.Attributes, s.Resource = v.attributes(5), v.attributes(2)
	if s.RequestModel != "" && v.IntN(2) == 0 { // which is folded
		s.Attributes = s.Attributes.With(span.AliasRequestModel, s.RequestModel)
	}
	r.Evaluations = nil
	for _, setup := range []string{"set_1", "set_2"} {
		for _, of := range varietyNames {
			if v.IntN(3) > 0 {
				r.Evaluations = append(r.Evaluations, v.evaluation(setup, of))
			}
		}
	}
	return r
}

// evaluation has one output, and of some evaluators another: pairs of setup and
// evaluator are made once for a span.
func (v *variety) evaluation(setup string, of [2]string) eval.Evaluation {
	e := eval.Evaluation{
		SetupID: setup, Evaluator: of[0], Status: eval.Done, Time: v.clk.now().UnixNano() + int64(v.IntN(3)),
		Outputs: []eval.Output{{Name: of[1], Value: v.value(of[0] + of[1])}},
	}
	if of[1] == "label" {
		e.Evaluator = "label"
	}
	if v.IntN(6) == 0 {
		e.Status, e.Reason, e.Outputs, e.Due = eval.Deferred, eval.ReasonModel, nil, v.clk.now().UnixNano()
	}
	return e
}

func (v *variety) value(of string) any {
	switch of {
	case "tonelabel":
		return pick(v, []string{"sad", "glad", "", "5", "true", strings.Repeat("long ", 40), strings.Repeat("9", 200), "\x01long"})
	case "tonescore":
		return pick(v, []float64{0, math.Copysign(0, -1), 0.5, 1, 1e21, 12345678901234567890, 0.1})
	case "lengthn":
		return pick(v, []int64{0, 1, 7, -3, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64})
	case "checkok":
		return v.IntN(2) == 0
	}
	return pick(v, []any{true, int64(1), 1.0, "1", 0.5, "true"})
}

func (v *variety) field() query.Field {
	switch v.IntN(4) {
	case 0:
		of := pick(v, varietyNames)
		if of[1] == "label" {
			of[0] = "label"
		}
		return query.Field{Kind: query.FieldEvaluation, Name: of[0], Output: of[1]}
	case 1:
		return query.Field{Kind: query.FieldColumn, Name: pick(v, []string{"service_name", "status_code", "span_kind"})}
	case 2:
		return query.Field{Kind: pick(v, []query.FieldKind{query.FieldSpanAttribute, query.FieldResourceAttribute}), Name: pick(v, varietyKeys)}
	}
	return query.Field{Kind: query.FieldAttribute, Name: pick(v, append(varietyKeys, "absent"))}
}

func (v *variety) filter() query.Filter {
	values := append([]string{
		"sad", "5", "-0", "0", "0.5", "1e+21", "12345678901234567000", "9007199254740992", "9007199254740993",
		"9223372036854775807", "shop", "STATUS_CODE_OK", "\x01long", strings.Repeat("9", 200), "\xff",
	}, varietyValues...)
	f := query.Filter{Field: v.field(), Operator: pick(v, []query.Operator{
		query.OpEquals, query.OpNotEquals, query.OpIn, query.OpNotIn, query.OpExists, query.OpNotExists,
		query.OpGreaterThan, query.OpLessThanOrEqual, query.OpContains, query.OpStartsWith,
	})}
	switch {
	case f.Operator.Numeric():
		f.Number = pick(v, []float64{0, 0.5, 1, 7, 1 << 53, -4})
	case f.Operator == query.OpIn || f.Operator == query.OpNotIn:
		f.Values = []string{pick(v, values), pick(v, values), pick(v, values)}
	case f.Operator != query.OpExists && f.Operator != query.OpNotExists:
		f.Value = pick(v, values)
	}
	return f
}

func (v *variety) query() query.Query {
	q := query.Query{To: math.MaxInt64, Limit: pick(v, []int{1, 3, 1000}), Total: v.IntN(4) > 0}
	for range 1 + v.IntN(2) {
		q.Filters = append(q.Filters, v.filter())
	}
	switch v.IntN(5) {
	case 0:
		q.Filters = []query.Filter{query.Any(q.Filters...)}
	case 1:
		q.Filters = nil
	}
	if v.IntN(4) == 0 {
		q.From = v.clk.ago(time.Duration(v.IntN(400)) * time.Second).UnixNano()
	}
	q.Order = query.Order{By: pick(v, []query.SortKey{query.SortTimestamp, query.SortTotalTokens, query.SortEvaluation}), Descending: v.IntN(3) > 0}
	if q.Order.By == query.SortEvaluation {
		of := pick(v, varietyNames)
		if of[1] == "label" {
			of[0] = "label"
		}
		q.Order.Slug, q.Order.Output = of[0], of[1]
	}
	return q
}

// Two stores are written to alike, of which one has indexes: spans, spans of other
// content, and evaluations that come later. They give the same answers.
func TestIndexAnswersAsAScanDoes(t *testing.T) {
	t.Parallel()
	v := &variety{Rand: rand.New(rand.NewPCG(7, 7)), envs: []tenant.Environment{testEnv("a", 720*time.Hour), testEnv("b", 720*time.Hour)}, clk: newClock()}
	cfg := Config{Dir: t.TempDir(), Now: v.clk.now, PartitionRows: 90, WindowKeys: 50, Report: func(message string, err error) { t.Errorf("%s: %v", message, err) }}
	cfg.indexRows, cfg.indexRoom = 1, 8<<10 // made in parts
	indexed := open(t, cfg)
	cfg.Dir, cfg.indexRows = t.TempDir(), math.MaxInt64
	scanned := open(t, cfg)
	records := make([]store.Record, 400)
	for i := range records {
		records[i] = v.record(i)
	}
	write := func(b store.Batch) {
		for _, db := range []*DB{indexed, scanned} {
			_, err := db.Write(t.Context(), b)
			require.NoError(t, err)
			db.awaitIndexes()
		}
	}
	compare := func(n int) {
		for range n {
			q := v.query()
			env := pick(v, v.envs)
			for page := 0; page < 2; page++ {
				want, err := scanned.Search(t.Context(), env, q)
				require.NoError(t, err)
				got, err := indexed.Search(t.Context(), env, q)
				require.NoError(t, err, "%+v", q)
				require.Equal(t, want, got, "%+v", q)
				if q.After = want.Next; q.After == nil {
					break
				}
			}
		}
	}
	for i := 0; i < len(records); i += 20 {
		write(store.Batch{Records: records[i : i+20]})
	}
	requireIndexed(t, indexed)
	compare(100)
	for range 8 {
		var b store.Batch
		for range 5 {
			r := &records[v.IntN(len(records))]
			var done []eval.Evaluation
			for i := range r.Evaluations {
				e := &r.Evaluations[i]
				if v.IntN(2) == 0 {
					made := v.evaluation(e.SetupID, [2]string{e.Evaluator, "n"})
					for _, of := range varietyNames {
						if of[0] == e.Evaluator || of[1] == e.Evaluator {
							made = v.evaluation(e.SetupID, of)
						}
					}
					made.Revision = e.Revision + int64(v.IntN(2))
					*e = made
					done = append(done, made)
				}
			}
			b.Evaluations = append(b.Evaluations, store.Evaluated{Environment: r.Environment.ID, Span: r.Span.Key(), Evaluations: done})
		}
		write(b)
		i := v.IntN(len(records))
		again := v.record(i)
		again.Environment, again.Span.Environment = records[i].Environment, records[i].Span.Environment
		records[i] = again
		write(store.Batch{Records: []store.Record{again}})
		compare(12)
	}
	requireGone(t, indexed)
	require.NoError(t, indexed.Close())
	cfg.Dir, cfg.indexRows = indexed.cfg.Dir, 1
	indexed = open(t, cfg)
	indexed.awaitIndexes()
	for i := range 40 {
		records = append(records, v.record(len(records)+i))
	}
	write(store.Batch{Records: records[len(records)-40:]})
	compare(20)
}

// A partition is written to while its index is made and before it is used: more
// evaluations than are brought in step at once, spans of other content, and evaluations
// of some spans again. The index is made at once and gives the answers of a scan.
func TestIndexOfWhatIsWrittenToMeanwhile(t *testing.T) {
	t.Parallel()
	const spans = 700
	v := &variety{Rand: rand.New(rand.NewPCG(8, 8)), envs: []tenant.Environment{testEnv("a", 720*time.Hour), testEnv("b", 720*time.Hour)}, clk: newClock()}
	records := make([]store.Record, spans+20)
	for i := range records {
		records[i] = v.record(i)
	}
	var indexed, scanned *DB
	var both sync.Mutex // in one order
	write := func(b store.Batch) {
		both.Lock()
		defer both.Unlock()
		for _, db := range []*DB{indexed, scanned} {
			_, err := db.Write(t.Context(), b)
			require.NoError(t, err)
		}
	}
	judge := func(from, to int) {
		var b store.Batch
		for i := from; i < to; i++ {
			r := &records[i]
			var made []eval.Evaluation
			for _, e := range r.Evaluations {
				again := v.evaluation(e.SetupID, pick(v, varietyNames[:2]))
				again.Evaluator, again.Revision = e.Evaluator, e.Revision+1
				made = append(made, again)
			}
			b.Evaluations = append(b.Evaluations, store.Evaluated{Environment: r.Environment.ID, Span: r.Span.Key(), Evaluations: made})
		}
		write(b)
	}
	replace := func(i int) {
		r := v.record(i)
		r.Environment, r.Span.Environment = records[i].Environment, records[i].Span.Environment
		records[i] = r
		write(store.Batch{Records: []store.Record{r}})
	}
	var steps []string
	cfg := Config{Dir: t.TempDir(), Now: v.clk.now, PartitionRows: spans, Report: func(message string, err error) { t.Errorf("%s: %v", message, err) }}
	cfg.indexRows = 1
	cfg.faults.Step = func(step string) {
		steps = append(steps, step)
		switch step {
		case partitions.StepIndexed:
			judge(0, spans)
			replace(7)
			replace(300)
		case partitions.StepFilled:
			judge(20, 40)
			replace(30)
			replace(50)
		}
	}
	indexed = open(t, cfg)
	cfg.Dir, cfg.indexRows = t.TempDir(), math.MaxInt64
	scanned = open(t, cfg)
	for i := 0; i < len(records); i += 20 {
		write(store.Batch{Records: slices.Clone(records[i : i+20])})
	}
	indexed.awaitIndexes()
	require.Equal(t, []string{partitions.StepIndexed, partitions.StepFilled, partitions.StepCommitted}, steps)
	require.True(t, indexed.engine.partitions[0].IsIndexed())
	judge(100, 120) // now that there is one
	for range 150 {
		q, env := v.query(), pick(v, v.envs)
		want, err := scanned.Search(t.Context(), env, q)
		require.NoError(t, err)
		got, err := indexed.Search(t.Context(), env, q)
		require.NoError(t, err, "%+v", q)
		require.Equal(t, want, got, "%+v", q)
	}
}

// An index that could not be made is tried again while the store is open.
func TestIndexIsTriedAgain(t *testing.T) {
	t.Parallel()
	clk := newClock()
	var broken, reports atomic.Int64
	broken.Store(2)
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 20, indexRows: 1, fileIdle: 8 * time.Millisecond, Report: func(message string, err error) {
		require.ErrorIs(t, err, errBroken, message)
		reports.Add(1)
	}}
	cfg.faults.Pool = func(c driver.Connector) driver.Connector {
		return hooked{Connector: c, exec: func(statement string, execute func() (driver.Result, error)) (driver.Result, error) {
			if strings.HasPrefix(statement, "CREATE INDEX") && broken.Add(-1) >= 0 {
				return nil, errBroken
			}
			return execute()
		}}
	}
	db := open(t, cfg)
	writeJudged(t, db, clk, 0, 20, 3, 2)
	writeJudged(t, db, clk, 20, 30, 3, 2)
	p := db.engine.partitions[0]
	indexed := func() bool {
		p.Lock()
		defer p.Unlock()
		return p.IsIndexed()
	}
	require.Eventually(t, indexed, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 2, reports.Load())
	q := query.Query{To: 1<<63 - 1, Limit: 1, Total: true, Order: query.Order{By: query.SortTimestamp}, Filters: []query.Filter{attribute("key 0", "7")}}
	page, err := db.Search(t.Context(), testEnv("a", 720*time.Hour), q)
	require.NoError(t, err)
	require.EqualValues(t, 1, page.Total)
}

// Values that are the same text as their key are told apart from those of a key whose
// hash begins alike.
func TestIndexTellsKeysApart(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, indexRows: 1})
	env := testEnv("a", 720*time.Hour)
	_, err := db.Write(t.Context(), store.Batch{Records: []store.Record{numbered(env, 0, clk.now())}})
	require.NoError(t, err)
	one, other := alike(t, db)
	var batch store.Batch
	for n := range 20 {
		r := numbered(env, 1+n, clk.now())
		key := one
		if n%2 == 1 {
			key = other
		}
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: key, Value: key}})
		batch.Records = append(batch.Records, r)
	}
	for i := 0; i < len(batch.Records); i += 5 {
		_, err = db.Write(t.Context(), store.Batch{Records: batch.Records[i : i+5]})
		require.NoError(t, err)
	}
	db.awaitIndexes()
	require.True(t, db.engine.partitions[0].IsIndexed())
	page, err := db.Search(t.Context(), env, query.Query{
		To: math.MaxInt64, Limit: 100, Total: true, Order: query.Order{By: query.SortTimestamp},
		Filters: []query.Filter{{Field: query.Field{Kind: query.FieldSpanAttribute, Name: one}, Operator: query.OpEquals, Value: one}},
	})
	require.NoError(t, err)
	require.Len(t, page.Spans, 10)
	require.EqualValues(t, 10, page.Total)
	for _, s := range page.Spans {
		_, found := s.Attributes.Get(one)
		require.True(t, found)
	}
}

// alike returns two keys of one list whose hashes have the same first 16 bits.
func alike(t *testing.T, db *DB) (one, other string) {
	t.Helper()
	type place struct {
		list int
		hash int64
	}
	found := map[place]string{}
	require.NoError(t, db.engine.files.Alone(t.Context(), func(q *partitions.Querier) error {
		return q.Each(t.Context(), "SELECT 'key_' || i, (hash('key_' || i) >> 48)::BIGINT FROM range(4000) t(i)", nil, func(rows *sql.Rows) error {
			var key string
			var hash int64
			err := rows.Scan(&key, &hash)
			at := place{tables.ListOf(key), hash}
			if before, there := found[at]; there {
				one, other = before, key
			}
			found[at] = key
			return err
		})
	}))
	require.NotEmpty(t, one)
	return one, other
}

// requireIndexed expects an index of every partition but the newest.
func requireIndexed(t *testing.T, db *DB) {
	t.Helper()
	all := db.engine.partitions
	require.Greater(t, len(all), 3)
	for _, p := range all[:len(all)-1] {
		require.True(t, p.IsIndexed(), fmt.Sprint(p.Label))
	}
}

// requireGone expects that spans were deleted under an index.
func requireGone(t *testing.T, db *DB) {
	t.Helper()
	var gone int64
	require.NoError(t, db.engine.files.Alone(t.Context(), func(q *partitions.Querier) error {
		for _, p := range db.engine.partitions {
			if err := q.In(t.Context(), p); err != nil {
				return err
			}
			state, err := index.Look(t.Context(), q.Conn)
			if err != nil {
				return err
			}
			gone += state.Gone
		}
		return nil
	}))
	require.Positive(t, gone)
}
