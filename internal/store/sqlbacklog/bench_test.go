// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/fake"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// certain is an engine that takes everything, and of which everything is deferred: a
// benchmark measures the queue alone.
type certain struct{ *fake.Engine }

func (certain) Write(context.Context, store.Batch) (store.Written, error) {
	return store.Written{}, nil
}

func (certain) Evaluations(_ context.Context, at []store.Location, _ int64, _ store.Revisions) ([]store.Evaluated, error) {
	list := make([]store.Evaluated, len(at))
	for i, l := range at {
		list[i] = store.Evaluated{Environment: l.Environment, Span: l.Span, Evaluations: []eval.Evaluation{storetest.Deferred("set_1", "tone", storetest.Epoch)}}
	}
	return list, nil
}

// BenchmarkQueue has 64 spans each time get one pending evaluation, leased, and completed, with
// 100,000 waiting.
func BenchmarkQueue(b *testing.B) {
	db, err := sqldb.OpenPostgres(b.Context(), sqldb.Postgres{DSN: postgrestest.One(b).Database(b)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	q, err := Open(db, certain{fake.New(time.Now)}, time.Now)
	require.NoError(b, err)
	next := uint64(0)
	batch := func(n int) []store.Record {
		list := make([]store.Record, n)
		for i := range list {
			next++
			s := storetest.Span(env, 0)
			binary.BigEndian.PutUint64(s.TraceID[:], next)
			list[i] = storetest.Record(env, s, storetest.Deferred("set_1", "tone", storetest.Epoch))
		}
		return list
	}
	for range 20 {
		require.NoError(b, storetest.Write(b.Context(), q, batch(5000)))
	}
	const spans = 64
	var took [3]time.Duration
	for b.Loop() {
		begun := time.Now()
		require.NoError(b, storetest.Write(b.Context(), q, batch(spans)))
		took[0] += time.Since(begun)
		begun = time.Now()
		list, err := q.Lease(b.Context(), begun, begun.Add(time.Minute), spans)
		require.NoError(b, err)
		require.Len(b, list, spans)
		took[1] += time.Since(begun)
		for i := range list {
			list[i].Evaluations[0] = storetest.Judged(list[i].Evaluations[0], begun)
		}
		begun = time.Now()
		require.NoError(b, q.Complete(b.Context(), list))
		took[2] += time.Since(begun)
	}
	for i, name := range []string{"owed/s", "leased/s", "completed/s"} {
		b.ReportMetric(float64(spans*b.N)/took[i].Seconds(), name)
	}
}
