// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math/rand/v2"
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
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A total that was counted before is known while the parts are those of then, and only what
// other parts have is counted again.
func TestTotalsAreRemembered(t *testing.T) {
	t.Parallel()
	const perBucket, buckets, granule = 3000, 4, 256
	begun := storetest.Epoch.Truncate(span.BucketLength)
	counted := clickhousetest.Counted(t, clickhousetest.Database(t, t.Name()))
	db, err := Open(t.Context(), Config{DSN: counted.DSN(), Now: func() time.Time { return begun.Add(time.Hour) }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	env := storetest.Environment("prd")
	for bucket := range buckets {
		list := make([]store.Record, perBucket)
		for i := range list {
			s := storetest.Span(env, bucket*perBucket+i)
			s.Start = begun.Add(time.Duration(bucket)*span.BucketLength).UnixNano() + int64(i)
			list[i] = storetest.Record(env, s)
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	late := query.Filter{Field: query.Column("duration"), Operator: query.OpGreaterThanOrEqual}
	read := func(total int64, filters ...query.Filter) int64 {
		counted.Take()
		page, err := db.Search(t.Context(), env, query.Query{To: begun.Add(24 * time.Hour).UnixNano(), Order: query.Order{By: query.SortTimestamp}, Filters: filters, Total: true})
		require.NoError(t, err)
		require.Equal(t, total, page.Total)
		rows, _ := counted.Take()
		return rows
	}
	const all = buckets * perBucket
	require.GreaterOrEqual(t, read(all), int64(all))
	require.Less(t, read(all), int64(granule), "nothing came")
	require.GreaterOrEqual(t, read(all, late), int64(all), "of other filters nothing is known")
	require.Less(t, read(all, late), int64(granule))

	s := storetest.Span(env, all)
	s.Start = begun.Add(span.BucketLength).UnixNano()
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{storetest.Record(env, s)}))
	const ofOne = 2 * (perBucket + 2*granule)
	require.Less(t, read(all+1), int64(ofOne), "of one bucket it is counted again")
	require.Less(t, read(all+1, late), int64(ofOne))
	require.Less(t, read(all+1), int64(granule))

	// A merge makes other parts of the same rows.
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM START MERGES "+spansTable))
	require.NoError(t, db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+spansTable+" FINAL"))
	read(all + 1)
	require.Less(t, read(all+1), int64(granule))
	require.NoError(t, db.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{{TraceID: s.TraceID, SpanID: s.SpanID, Start: s.Start}}}))
	read(all) // the parts are others once more, so that it is not planned
	read(all)
	require.Less(t, read(all), int64(granule))
}

// Who may not see which parts there are has totals all the same.
func TestTotalsWithoutTheGrantToSeeParts(t *testing.T) {
	t.Parallel()
	asked := 0
	server := clickhousetest.Answering(t, "26.7.2", func(statement string) string {
		if strings.Contains(statement, "system.parts") {
			asked++
			return "Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)"
		}
		return ""
	})
	db, err := Open(t.Context(), Config{DSN: server, Now: time.Now, Migration: store.MigrateOff})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for range 3 {
		page, err := db.Search(t.Context(), storetest.Environment("prd"), query.Query{To: time.Now().UnixNano(), Order: query.Order{By: query.SortTimestamp}, Total: true})
		require.NoError(t, err)
		require.Zero(t, page.Total)
	}
	require.Equal(t, 1, asked, "it is asked once")
}

// Whatever is written, replaced, judged, deleted and merged, what is
// remembered makes no total another one: a process that remembers has those of one that does not.
func TestRememberedTotalsAreExact(t *testing.T) {
	t.Parallel()
	const steps, spans, buckets = 12, 120, 4
	begun := storetest.Epoch.Truncate(span.BucketLength)
	dsn := clickhousetest.Database(t, t.Name())
	config := Config{DSN: dsn, Now: func() time.Time { return begun.Add(time.Hour) }, keepExpired: true}
	open := func() *DB {
		db, err := Open(t.Context(), config)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	db, forgets := open(), open()
	forgets.partsDenied.Store(true)
	env := storetest.Environment("prd")
	r := rand.New(rand.NewPCG(1, 2))
	at := func(n int) span.Span {
		s := storetest.Span(env, n)
		s.Start = begun.Add(time.Duration(n%buckets)*span.BucketLength).UnixNano() + int64(n)
		return s
	}
	change := func(r *rand.Rand) error {
		n := r.IntN(spans)
		switch x := at(n); r.IntN(7) {
		case 0:
			return db.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{{TraceID: x.TraceID, SpanID: x.SpanID, Start: x.Start}}})
		case 1:
			return db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+spansTable)
		default:
			var list []store.Record
			for i := range 20 {
				s := at((n + i) % spans)
				s.Duration = int64(r.IntN(3)) * int64(time.Second)
				list = append(list, store.Record{Environment: env, Span: s, Evaluations: []eval.Evaluation{{
					SetupID: "set", Evaluator: "word-count", Status: eval.Done, Time: s.Start, Outputs: []eval.Output{{Name: "word_count", Value: int64(r.IntN(5))}},
				}}})
			}
			return storetest.Write(t.Context(), db, list)
		}
	}
	verdict := query.Filter{Field: query.Field{Kind: query.FieldEvaluation, Name: "word-count", Output: "word_count"}, Operator: query.OpGreaterThan, Number: 2, Value: "2"}
	lasts := query.Filter{Field: query.Column("duration"), Operator: query.OpGreaterThan, Number: 0, Value: "0"}
	questions := func(r *rand.Rand) query.Query {
		q := query.Query{From: begun.UnixNano(), To: begun.Add(time.Hour).UnixNano(), Order: query.Order{By: query.SortTimestamp, Descending: r.IntN(2) == 0}, Total: true, Limit: 20}
		q.Filters = [][]query.Filter{nil, {verdict}, {lasts}, {verdict, lasts}}[r.IntN(4)]
		if r.IntN(3) == 0 {
			q.From += int64(r.IntN(3)) * int64(span.BucketLength)
		}
		if r.IntN(4) == 0 {
			q.Order.By = query.SortDuration
		}
		return q
	}
	for range steps {
		require.NoError(t, change(r))
		for range 2 {
			q := questions(r)
			for { // some pages
				got, err := db.Search(t.Context(), env, q)
				require.NoError(t, err)
				want, err := forgets.Search(t.Context(), env, q)
				require.NoError(t, err)
				require.Equal(t, want, got)
				if got.Next == nil || r.IntN(2) == 0 {
					break
				}
				q.After = got.Next
			}
		}
	}
}

// Who asks while others write sees what was written before, and nothing that was not begun.
func TestRememberedTotalsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	const writes, readers, buckets = 60, 3, 15
	begun := storetest.Epoch.Truncate(span.BucketLength)
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: func() time.Time { return begun.Add(3 * time.Hour) }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	var started, done atomic.Int64
	var wrote atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		defer wrote.Store(true)
		r := rand.New(rand.NewPCG(1, 3))
		for i := range writes {
			var list []store.Record
			for range 1 + r.IntN(3) { // anywhere
				s := storetest.Span(env, int(started.Add(1)))
				s.Start = begun.Add(time.Duration(r.IntN(buckets))*span.BucketLength).UnixNano() + 1
				list = append(list, storetest.Record(env, s))
			}
			err := storetest.Write(t.Context(), db, list)
			done.Store(started.Load())
			if i%8 == 7 && err == nil {
				err = db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+spansTable)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	q := query.Query{To: begun.Add(3 * time.Hour).UnixNano(), Order: query.Order{By: query.SortTimestamp, Descending: true}, Total: true}
	for range readers {
		all.Go(func() {
			for !wrote.Load() {
				least := done.Load()
				page, err := db.Search(t.Context(), env, q)
				if most := started.Load(); err != nil || page.Total < least || page.Total > most {
					t.Errorf("%d of %d to %d, %v", page.Total, least, most, err)
					return
				}
			}
		})
	}
	all.Wait()
	page, err := db.Search(t.Context(), env, q)
	require.NoError(t, err)
	require.Equal(t, started.Load(), page.Total)
}
