// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	_ "embed"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The statements of what a partition knows, each explained in its file.
var (
	//go:embed sql/environments.sql
	environmentsSQL string
	//go:embed sql/buckets.sql
	bucketsSQL string
	//go:embed sql/numbers.sql
	numbersSQL string
	//go:embed sql/owing.sql
	owingSQL string
)

// Learn reads what the partition keeps in memory from its file, which q is in.
func (p *Partition) Learn(ctx context.Context, q *Querier) error {
	var n tables.Numbering
	var next int64
	err := q.Conn.QueryRowContext(ctx, numbersSQL).Scan(&next, &p.codes, &n.Origins, &n.Shapes, &n.Judgements, &n.Texts)
	if err != nil {
		return err
	}
	p.setNext(next)
	p.Dictionaries = tables.NewDictionaries(n)
	if err := p.Count(ctx, q); err != nil {
		return err
	}
	state, err := index.Look(ctx, q.Conn)
	if err != nil {
		return err
	}
	p.setIndexed(state.Made)
	return p.learnOwed(ctx, q)
}

func (p *Partition) setNext(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = n
}

// learnOwed reads how much the partition owes, which is the last that it must know.
func (p *Partition) learnOwed(ctx context.Context, q *Querier) error {
	var owed, latest int64
	if err := q.Conn.QueryRowContext(ctx, owingSQL).Scan(&owed, &latest); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed, p.latest, p.learned = owed, latest, true
	return nil
}

// Count reads what is in the partition by environment, from its file, which q is in.
func (p *Partition) Count(ctx context.Context, q *Querier) error {
	envs := map[tenant.EnvironmentID]Bounds{}
	err := q.Each(ctx, environmentsSQL, nil, func(rows *sql.Rows) error {
		var b Bounds
		var id tenant.EnvironmentID
		err := rows.Scan(&b.Code, &id, &b.Retention, &b.Spans, &b.Messages, &b.Min, &b.Max)
		envs[id] = b
		return err
	})
	if err == nil {
		err = countBuckets(ctx, q, envs)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.envs = envs
	return nil
}

// countBuckets reads in which buckets the spans of each environment start.
func countBuckets(ctx context.Context, q *Querier, envs map[tenant.EnvironmentID]Bounds) error {
	byCode := make(map[int32]keyfilter.Buckets, len(envs))
	err := q.Each(ctx, bucketsSQL, nil, func(rows *sql.Rows) error {
		var code int32
		var start int64
		err := rows.Scan(&code, &start)
		byCode[code] = byCode[code].With(span.BucketOf(start))
		return err
	})
	for id, b := range envs {
		b.Buckets = byCode[b.Code]
		envs[id] = b
	}
	return err
}
