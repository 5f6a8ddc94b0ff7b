// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Progress tells how far the evaluations of an environment got.
func (db *DB) Progress(ctx context.Context, env tenant.Environment) (store.Progress, error) {
	var r report
	err := db.look(ctx, "read progress", env.ID, func(q querier, partitions []held) error {
		r = report{from: after(db.cfg.Now().UnixNano(), -max(env.Retention, 0))}
		r.partitions = slices.DeleteFunc(partitions, func(h held) bool { return h.spans == 0 || h.max < r.from })
		for _, fill := range []func(context.Context, querier) error{r.owed(db.backlog), r.lastSpan, r.lastEvaluation} {
			if err := fill(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	return r.Progress, err
}

// report is one call of Progress.
type report struct {
	store.Progress
	partitions []held
	from       int64 // start of the first span within its retention
}

// owed sums up what is owed.
func (r *report) owed(b *backlog) func(context.Context, querier) error {
	return func(ctx context.Context, q querier) error {
		for _, h := range r.partitions {
			if b.owes(h.serial) == 0 {
				continue
			}
			var evaluations, spans, oldest int64
			if err := q.row(ctx, h.partition, progressSQL, h.code, r.from).Scan(&evaluations, &spans, &oldest); err != nil {
				return err
			}
			r.OwedEvaluations += evaluations
			r.OwedSpans += spans
			r.OldestOwed = earlier(r.OldestOwed, oldest)
		}
		return nil
	}
}

// lastSpan looks where the last span can be, the likeliest place first.
func (r *report) lastSpan(ctx context.Context, q querier) error {
	slices.SortFunc(r.partitions, func(a, b held) int { return cmp.Compare(b.max, a.max) })
	for _, h := range r.partitions {
		if h.max <= r.LatestSpan {
			return nil
		}
		var last int64
		if err := q.row(ctx, h.partition, startedSQL, h.code, r.from).Scan(&last); err != nil {
			return err
		}
		r.LatestSpan = max(r.LatestSpan, last)
	}
	return nil
}

// lastEvaluation does likewise. Of the likeliest place only the end is read,
// where that has it.
func (r *report) lastEvaluation(ctx context.Context, q querier) error {
	const near = time.Minute
	last := make(map[*partition]int64, len(r.partitions))
	for _, h := range r.partitions {
		last[h.partition] = h.lastTime()
	}
	slices.SortFunc(r.partitions, func(a, b held) int { return cmp.Compare(last[b.partition], last[a.partition]) })
	for _, h := range r.partitions {
		for _, behind := range []int64{after(last[h.partition], -near), r.LatestEvaluation} {
			if last[h.partition] <= r.LatestEvaluation {
				return nil
			}
			var ended int64
			behind = max(behind, r.LatestEvaluation)
			if err := q.row(ctx, h.partition, endedSQL, h.code, r.from, behind).Scan(&ended); err != nil {
				return err
			}
			if r.LatestEvaluation = max(r.LatestEvaluation, ended); ended > behind {
				break
			}
		}
	}
	return nil
}

// row asks one partition for one row.
func (q querier) row(ctx context.Context, p *partition, query string, args ...any) scanner {
	if err := q.in(ctx, p); err != nil {
		return failed{err}
	}
	return q.conn.QueryRowContext(ctx, query, args...)
}

// scanner is a row, or why there is none.
type scanner interface{ Scan(dest ...any) error }

type failed struct{ error }

// Scan implements scanner.
func (f failed) Scan(...any) error { return f.error }

// lastTime gives a time that no evaluation is later than.
func (p *partition) lastTime() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// Spent is the sum of what evaluations of a setup took that ended since, or
// that are deferred.
func (db *DB) Spent(ctx context.Context, env tenant.EnvironmentID, setup string, since time.Time) (float64, error) {
	var sum float64
	from := since.UnixNano()
	err := db.look(ctx, "read costs", env, func(q querier, partitions []held) error {
		sum = 0
		for _, h := range partitions {
			if h.lastTime() < from && db.backlog.owes(h.serial) == 0 {
				continue
			}
			var part float64
			if err := q.row(ctx, h.partition, spentSQL, h.code, asStored(setup), from).Scan(&part); err != nil {
				return err
			}
			sum += part
		}
		return nil
	})
	return sum, err
}
